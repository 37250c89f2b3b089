//! Concurrent requests.

use crate::step::Step;

/// Steps, some of which run concurrently.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Race {
    /// Sequential steps before the concurrent ones.
    pub before: Vec<Step>,
    /// The steps of each client: sequential for one client, concurrent between clients.
    pub clients: Vec<Vec<Step>>,
    /// Sequential steps after all responses: these reads show which requests took effect.
    pub after: Vec<Step>,
}

impl Race {
    /// The race of these steps, each with its client, from 1, or 0 if it is sent alone. A step that is sent
    /// alone comes before the race if no client sends anything before it, otherwise after the race.
    pub fn of(steps: impl IntoIterator<Item = (usize, Step)>) -> Race {
        let mut race = Race::default();
        let mut clients = Vec::new();
        for (client, step) in steps {
            let steps = match clients.iter().position(|known| *known == client) {
                Some(place) => &mut race.clients[place],
                None if client != 0 => {
                    clients.push(client);
                    race.clients.push(Vec::new());
                    &mut race.clients[clients.len() - 1]
                }
                None if clients.is_empty() => &mut race.before,
                None => &mut race.after,
            };
            steps.push(step);
        }
        race
    }
}
