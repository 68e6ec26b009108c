//! The keys of both ends: presented as raw public keys, and checked against a list.

use std::sync::Arc;

use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring as provider, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{
    CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

use crate::key::PublicKey;

/// The prefix of the 32 octets of an Ed25519 key in its `SubjectPublicKeyInfo` (RFC 8410).
const SPKI_OF_ED25519: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];

/// A private key.
#[derive(Clone)]
pub struct Identity {
    pkcs8: Vec<u8>,
    public: PublicKey,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Identity({})", self.public)
    }
}

impl Identity {
    /// Generates a new key; returns its PKCS #8 form.
    pub fn generate() -> Result<Vec<u8>, String> {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        document
            .map(|it| it.as_ref().to_vec())
            .map_err(|_| "the system gave no random octets".to_owned())
    }

    /// Reads the PKCS #8 form.
    pub fn read(pkcs8: &[u8]) -> Result<Self, String> {
        let pair = Ed25519KeyPair::from_pkcs8(pkcs8)
            .map_err(|_| "not a key of `celltrain dbs key`".to_owned())?;
        let public = pair.public_key().as_ref().try_into();
        Ok(Self {
            pkcs8: pkcs8.to_vec(),
            public: PublicKey(public.map_err(|_| "not an Ed25519 key".to_owned())?),
        })
    }

    /// The public half.
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    pub(super) fn certified(&self) -> Result<Arc<CertifiedKey>, Error> {
        let private = PrivatePkcs8KeyDer::from(self.pkcs8.clone());
        let key = provider::default_provider()
            .key_provider
            .load_private_key(private.into())?;
        let spki = CertificateDer::from(spki(self.public));
        Ok(Arc::new(CertifiedKey::new(vec![spki], key)))
    }
}

fn spki(key: PublicKey) -> Vec<u8> {
    [&SPKI_OF_ED25519[..], &key.0].concat()
}

/// Accepts only the keys of a list.
#[derive(Debug)]
pub(super) struct Pinned {
    keys: Vec<Vec<u8>>,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    pub(super) fn new(keys: &[PublicKey]) -> Arc<Self> {
        Arc::new(Self {
            keys: keys.iter().copied().map(spki).collect(),
            provider: Arc::new(provider::default_provider()),
        })
    }

    fn check(&self, shown: &CertificateDer<'_>) -> Result<(), Error> {
        if self.keys.iter().any(|key| key[..] == shown[..]) {
            Ok(())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let spki = SubjectPublicKeyInfoDer::from(shown.as_ref());
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &spki, signature, algorithms)
    }
}

/// The common parts of both rustls verifiers: TLS 1.3, raw keys, Ed25519.
macro_rules! tls13_with_raw_keys {
    () => {
        fn verify_tls12_signature(
            &self,
            _: &[u8],
            _: &CertificateDer<'_>,
            _: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            Err(Error::General("TLS 1.3 only".to_owned()))
        }
        fn verify_tls13_signature(
            &self,
            message: &[u8],
            shown: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.signature(message, shown, signature)
        }
        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            vec![SignatureScheme::ED25519]
        }
        fn requires_raw_public_keys(&self) -> bool {
            true
        }
    };
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(shown).map(|()| ServerCertVerified::assertion())
    }
    tls13_with_raw_keys!();
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }
    fn verify_client_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(shown).map(|()| ClientCertVerified::assertion())
    }
    tls13_with_raw_keys!();
}
