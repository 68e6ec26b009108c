use super::*;
use crate::engine::plan::ByCell;
use crate::engine::simulation::Engine;
use crate::network::Network;
use crate::scenario::Source;

/// Five lines side by side; the last ones have the most to do.
fn lines() -> Network {
    let line = |number: u32| {
        format!(
            "[hosts.a{number}]\n[hosts.b{number}]\n[links.l{number}]\nbetween = [\"a{number}\", \"b{number}\"]\n\
             delay = \"1 ms\"\nrate = \"{number} Mbit/s\"\nbuffer = \"50 cells\"\n\
             [vcs.v{number}]\nroute = [\"a{number}\", \"b{number}\"]\n\
             [flows.f{number}]\nvc = \"v{number}\"\ntcp = {{ mss = \"512 bytes\" }}\n"
        )
    };
    let lines: Vec<String> = (1..6).map(line).collect();
    let text = format!("[measure]\nduration = \"100 ms\"\n{}", lines.concat());
    let scenario = Source::toml(&text, "test.toml").read();
    Network::new(&scenario.expect("the text is a scenario")).expect("it describes a network")
}

fn simulation(network: &Network) -> Simulation<'_> {
    Simulation::new(network, 1, Engine::Trains, &ByCell::default(), 1)
}

/// The end of the runs in these tests.
const END: Time = Time::from_ps(50_000_000_000);

#[test]
fn each_part_comes_first_whose_links_carry_more() {
    let network = lines();
    let home = simulation(&network);
    assert_eq!(home.schedule.parts.len(), 5);
    assert_eq!(
        Shares::of(&home, &cells_by_link(&network)).order,
        [4, 3, 2, 1, 0]
    );
}

#[test]
fn of_the_parts_that_fail_the_first_is_told() {
    let network = lines();
    for threads in [1, 2, 3, 9] {
        let mut home = simulation(&network);
        let lost: Vec<u32> = [1, 3]
            .map(|part: usize| home.schedule.parts[part].ports[0])
            .into();
        for &port in &lost {
            // Cells have left in an order other than that of their channels.
            let turns = &mut home.trains.ports[port as usize].turns;
            turns.watch();
            turns.leave(2, Time::ZERO, Time::ZERO);
            turns.leave(1, Time::ZERO, Time::ZERO);
        }
        let mut crew = Crew::new(Threads::Exactly(threads));
        let outcome = crew.evaluate_until(&mut home, END, &AtomicBool::new(false));
        let Err(Stop::OrderLost(link)) = outcome else {
            panic!("{threads} threads: {outcome:?}")
        };
        assert_eq!(link, lost[0] as usize, "{threads} threads");
    }
}

#[test]
fn little_to_do_is_done_by_one_thread() {
    let network = lines();
    let home = simulation(&network);
    let wanted = |threads, end| Crew::new(threads).wanted(&home, end);
    assert_eq!(wanted(Threads::UpTo(4), END), 1);
    // 30 Mbit/s are 70,800 cells per second.
    let hour = Time::from_ps(3_600 * 1_000_000_000_000);
    assert_eq!(wanted(Threads::UpTo(4), hour), 4);
    assert_eq!(wanted(Threads::UpTo(9), hour), 5);
    assert_eq!(wanted(Threads::One, hour), 1);
    assert_eq!(wanted(Threads::Exactly(9), END), 5);
}
