//! Subscriptions, their receivers, and the events that they get.

use tideover_exchange::step::Step;
use tideover_exchange::target::inbox;
use tideover_model::ActionKind;
use tideover_model::words::EventType;

use crate::generate::stories::{OTHER, VENDOR};
use crate::generate::{Walk, files, requests as make, values};

impl Walk {
    /// Receivers that do not accept at once, or not at all: each answer that is no 2xx asks for a retry, and each 2xx ends
    /// them. A crowd of events meets each of these answers.
    pub(super) fn unaccepted(&mut self, stage: usize) -> Option<Step> {
        let answering = |status| format!("${{inbox}}/{}/1", inbox::answering(status));
        Some(match stage {
            0 => make::subscribe(&answering(self.draw(values::refusing_status())), None),
            1 => make::subscribe("${inbox}/recovers/1", None),
            2 => make::subscribe("${inbox}/acknowledges/1", None),
            3 => make::subscribe(&answering(self.draw(200_u16..300)), None),
            4 => make::subscribe("${inbox}/accepts/1", None),
            5 => make::sync_business(VENDOR, "First of all", None, None),
            6 => make::import("crowd", files::crowd()),
            // A service may retry within seconds: without a clock to move, requests pass the time.
            7..=12 => make::get_business(VENDOR),
            13 => make::advance_clock(1000),
            14 => make::sync_business("late", "Later", None, None),
            15 => make::advance_clock(3600),
            // In several moves: two without an attempt, where one was due, show that no more comes.
            16..=23 => make::advance_clock(18_000),
            24 | 26 | 27 => make::list_subscriptions(),
            25 => make::advance_clock(200_000),
            28 => make::get_business(VENDOR),
            _ => return None,
        })
    }

    /// The life of an advance, in the events of two subscriptions: one wants all, and one every other type.
    pub(super) fn watched(&mut self, stage: usize) -> Option<Step> {
        let every_other = || EventType::ALL.into_iter().step_by(2).map(|it| it.name().to_owned());
        Some(match stage {
            0 => make::subscribe("${inbox}/accepts/first", None),
            1 => make::subscribe("${inbox}/accepts/second", Some(every_other().collect())),
            // The vendor is onboarded before this step.
            2 => self.sync_with(VENDOR, "w9", "ISSUED", 300_000),
            3 | 13 | 14 => make::quote(VENDOR, 300_000),
            4 => make::request_advance(VENDOR, "w9"),
            5 | 7 | 9 | 16 | 18 | 20 => make::get_invoice(VENDOR, "w9"),
            6 => make::act_on_invoice(ActionKind::FundingStarts, VENDOR, "w9"),
            8 => make::act_on_invoice(ActionKind::FundingCompletes, VENDOR, "w9"),
            // A quote looks at no invoice, whatever stands against one of this amount.
            10 => self.sync_with(VENDOR, "w8", "ISSUED", 2_000_000),
            11 | 12 => make::get_invoice(VENDOR, "w8"),
            15 => make::pay(VENDOR, "w9", 1_000),
            17 => make::pay(VENDOR, "w9", 299_000),
            19 => make::advance_clock(7200),
            21 | 22 | 24 => make::list_subscriptions(),
            23 => make::get_business(VENDOR),
            // Where the payor pays has nothing to do with where the vendor is paid.
            25 => make::set_payout_account(VENDOR, "000987654", "011401533", None),
            26 => make::request_advance(VENDOR, "w9"),
            _ => return None,
        })
    }

    /// What events say is so is what reads show, by then and after: each is read several times before the next happens,
    /// since one read may be behind.
    pub(super) fn never_early(&mut self, stage: usize) -> Option<Step> {
        const EACH: usize = 5;
        if stage < 2 {
            return Some(match stage {
                0 => make::subscribe("${inbox}/accepts/early", None),
                _ => self.sync_with(VENDOR, "e1", "ISSUED", 300_000),
            });
        }
        let (turn, place) = ((stage - 2) / EACH, (stage - 2) % EACH);
        Some(match (turn, place) {
            (0, 0) => make::request_advance(VENDOR, "e1"),
            (1, 0) => make::act_on_invoice(ActionKind::FundingStarts, VENDOR, "e1"),
            (2, 0) => make::act_on_invoice(ActionKind::FundingCompletes, VENDOR, "e1"),
            // As much as recovers an advance of any usual rate, and not all that is due.
            (3, 0) => make::pay(VENDOR, "e1", 291_000),
            (4.., 0) => return None,
            // What is sent now arrives.
            (_, 1) => make::advance_clock(1),
            _ => make::get_invoice(VENDOR, "e1"),
        })
    }

    /// The same happens to two vendors, in the events of one subscription: what is right for the first of them can be
    /// wrong for the second.
    pub(super) fn both_watched(&mut self, stage: usize) -> Option<Step> {
        const EACH: usize = 7;
        // The vendors are onboarded before stage 1.
        let Some(stage) = stage.checked_sub(1) else {
            return Some(make::subscribe("${inbox}/accepts/both", None));
        };
        let (payee, invoice) = *[(VENDOR, "b1"), (OTHER, "b2"), ("b3", "b3")].get(stage / EACH)?;
        Some(match stage % EACH {
            // The last business and the last invoice: no later event can be about them by mistake.
            0 if payee == "b3" => make::sync_business(payee, "Third of All", None, None),
            1 if payee == "b3" => self.sync_with(payee, invoice, "ISSUED", 300_000),
            _ if payee == "b3" => return None,
            0 => self.sync_with(payee, invoice, "ISSUED", 300_000),
            1 => make::request_advance(payee, invoice),
            2 => make::act_on_invoice(ActionKind::FundingStarts, payee, invoice),
            3 => make::act_on_invoice(ActionKind::FundingCompletes, payee, invoice),
            4 => make::get_invoice(payee, invoice),
            5 => make::set_payout_account(payee, "000987654", "011401533", None),
            _ => make::get_business(payee),
        })
    }
}

/// More subscriptions than a list would show by mistake. The first, one in between and the last are deleted.
pub(super) fn many_subscriptions(stage: usize) -> Option<Step> {
    const MANY: usize = 21;
    let reference = |number: usize| format!("${{many{number}.reference}}");
    Some(match stage {
        stage if stage < MANY => {
            let url = format!("https://hooks.example.com/many/{stage}");
            make::subscribe(&url, None).named(format!("many{stage}"))
        }
        stage => match stage - MANY {
            0 | 2 | 4 | 6 => make::list_subscriptions(),
            1 => make::unsubscribe(&reference(0)),
            3 => make::unsubscribe(&reference(MANY / 2)),
            5 => make::unsubscribe(&reference(MANY - 1)),
            _ => return None,
        },
    })
}

/// A receiver that never responds, beside one that does.
pub(super) fn hanging(stage: usize) -> Option<Step> {
    Some(match stage {
        0 => make::subscribe("${inbox}/hangs/1", None).named("hanging"),
        1 => make::subscribe("${inbox}/accepts/1", None),
        2 => make::sync_business("n1", "Waits", None, None),
        3 | 6 => make::advance_clock(60),
        4 => make::unsubscribe("${hanging.reference}"),
        5 => make::sync_business("n2", "Does not wait", None, None),
        7 => make::get_business("n2"),
        _ => return None,
    })
}

/// Receivers that are gone.
pub(super) fn gone(stage: usize) -> Option<Step> {
    let sync = |name: &str| make::sync_business(name, "Goes on", None, None);
    Some(match stage {
        0 => make::subscribe("${inbox}/gone/1", None).named("leaving"),
        1 => sync("g1"),
        2 => make::advance_clock(60),
        3 | 6 => make::list_subscriptions(),
        4 => sync("g2"),
        5 => make::advance_clock(7200),
        7 => make::subscribe("${inbox}/leaves/1", None).named("left"),
        8 => sync("g3"),
        9 | 11 => make::advance_clock(7200),
        10 => sync("g4"),
        12 => make::list_subscriptions(),
        13 => make::subscribe("${inbox}/gone/1", None),
        14 => sync("g5"),
        // Nobody's any more, whether the URL has come again or not.
        15 => make::unsubscribe("${leaving.reference}"),
        16 => make::unsubscribe("${left.reference}"),
        _ => return None,
    })
}
