//! From the control of a queue to its switch algorithm.

use celltrain_proto::switch::{self, Algorithm};

use crate::scenario::{self, Control};

/// The algorithm that `control` describes.
pub(super) fn algorithm(control: &Control) -> Algorithm {
    match control {
        Control::Binary(it) => binary(it).into(),
        Control::FairShare(it) => switch::FairShare::new(it.interval.0, it.marking.into()).into(),
        Control::EricaPlusSmoothed(it) => erica_plus_smoothed(it).into(),
        Control::Erica(it) => erica(it).into(),
        Control::EricaPlus(it) => erica_plus(it).into(),
        Control::Eprca(it) => eprca(it).into(),
        Control::Capc(it) => capc(it).into(),
        Control::Capc2(it) => capc2(it).into(),
        Control::Phantom(it) => phantom(it).into(),
    }
}

fn binary(it: &scenario::Binary) -> switch::Binary {
    let marking = match it.marking {
        scenario::BinaryMarking::BackwardRm => switch::BinaryMarking::BackwardRm,
        scenario::BinaryMarking::ForwardRm => switch::BinaryMarking::ForwardRm,
        scenario::BinaryMarking::Efci => switch::BinaryMarking::Efci,
    };
    switch::Binary::new(switch::BinaryParameters {
        threshold: it.threshold.0,
        low: it.low.map_or(it.threshold.0, |low| low.0),
        ni_threshold: it.ni_threshold.map(|threshold| threshold.0),
        marking,
    })
}

fn erica_plus_smoothed(it: &scenario::EricaPlusSmoothed) -> switch::EricaPlusSmoothed {
    switch::EricaPlusSmoothed::new(switch::EricaPlusSmoothedParameters {
        t0: it.t0.0,
        a: it.a.0,
        b: it.b.0,
        qdlf: it.qdlf.0,
        x: it.x.0,
        smoothing_interval: it.smoothing_interval.0,
        averaging_interval: it.averaging_interval.0,
        marking: it.marking.into(),
    })
}

fn erica(it: &scenario::Erica) -> switch::Erica {
    let taken = match it.priority_taken {
        scenario::PriorityTaken::FromTarget => switch::PriorityTaken::FromTarget,
        scenario::PriorityTaken::FromLine => switch::PriorityTaken::FromLine,
    };
    switch::Erica::new(it.target_utilization.0, taken, it.rules())
}

fn erica_plus(it: &scenario::EricaPlus) -> switch::EricaPlus {
    switch::EricaPlus::new(switch::EricaPlusParameters {
        t0: it.t0.0,
        a: it.a.0,
        b: it.b.0,
        qdlf: it.qdlf.0,
        shape: match it.queue_control {
            scenario::QueueControl::Hyperbolic => switch::QueueControl::Hyperbolic,
            scenario::QueueControl::Linear => switch::QueueControl::Linear { k: it.k.0 },
            scenario::QueueControl::Step => switch::QueueControl::Step,
        },
        sampling: it.queue_sampling.into(),
        rules: it.rules(),
    })
}

fn eprca(it: &scenario::Eprca) -> switch::Eprca {
    switch::Eprca::new(switch::EprcaParameters {
        qt: it.qt.0,
        dqt: it.dqt.0,
        av: it.av.0,
        vcs: it.vcs.0,
        dpf: it.dpf.0,
        erf: it.erf.0,
        mrf: it.mrf.0,
        binary: it.binary,
        form: match it.form {
            scenario::EprcaForm::Selective => switch::EprcaForm::Selective,
            scenario::EprcaForm::Plain => switch::EprcaForm::Plain,
        },
    })
}

fn capc(it: &scenario::Capc) -> switch::Capc {
    switch::Capc::new(switch::CapcParameters {
        interval: it.interval.0,
        target_utilization: it.target_utilization.0,
        rup: it.rup.0,
        rdn: it.rdn.0,
        eru: it.eru.0,
        erf: it.erf.0,
        cqt: it.cqt.0,
        vcqt: None,
    })
}

fn capc2(it: &scenario::Capc2) -> switch::Capc {
    switch::Capc::new(switch::CapcParameters {
        interval: it.interval.0,
        target_utilization: it.target_utilization.0,
        rup: it.rup.0,
        rdn: it.rdn.0,
        eru: it.eru.0,
        erf: it.erf.0,
        cqt: it.cqt.0,
        vcqt: Some(it.vcqt.0),
    })
}

fn phantom(it: &scenario::Phantom) -> switch::Phantom {
    switch::Phantom::new(switch::PhantomParameters {
        interval: it.interval.0,
        target_utilization: it.target_utilization.0,
        utilization_factor: it.utilization_factor.0,
        alpha_inc: it.alpha_inc.0,
        alpha_dec: it.alpha_dec.0,
        h: it.h.0,
    })
}
