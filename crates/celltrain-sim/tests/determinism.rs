//! One scenario and one seed give one result, whatever else the computer does.

mod common;

use common::run;

const SCENARIO: &str = include_str!("data/local-loop.toml");

#[test]
fn the_same_seed_gives_the_same_digest_on_one_thread_and_on_two() {
    let alone = run(SCENARIO, 1).digest;
    let together: Vec<_> = (0..2)
        .map(|_| std::thread::spawn(|| run(SCENARIO, 1).digest))
        .collect();
    for thread in together {
        assert_eq!(thread.join().expect("the run succeeds"), alone);
    }
}

#[test]
fn another_seed_gives_another_digest() {
    assert_ne!(run(SCENARIO, 1).digest, run(SCENARIO, 2).digest);
}

#[test]
fn a_new_component_changes_no_other_s_random_numbers() {
    let with_bystander = SCENARIO
        .replace("[switches]", "x = {}\ny = {}\n[switches]")
        .replace("[vcs.data]", "[links.far]\nbetween = [\"x\", \"y\"]\ndelay = \"1 ms\"\nrate = \"1 Mbit/s\"\nbuffer = \"9 cells\"\n[vcs.other]\nroute = [\"x\", \"y\"]\n[backgrounds.noise]\nvc = \"other\"\ntraffic = { process = \"poisson\", rate = \"100 kbit/s\" }\n[vcs.data]");
    let throughput = |text| {
        run(text, 1)
            .table("flows")
            .unwrap()
            .numbers_of("throughput_bps")
    };
    assert_eq!(throughput(&with_bystander), throughput(SCENARIO));
}

#[test]
fn results_are_as_before_on_every_machine() {
    // A fingerprint says "as before", not "right". When a model changes on purpose, put the new fingerprint here and name
    // in the changelog the published figures that moved.
    let digest = run(SCENARIO, 1).digest;
    assert_eq!(
        digest,
        "fde20f21c3bb5b7ccd49bb3bca0ec1c5bdbcbb25266d539848986ab68f0fc894"
    );
}
