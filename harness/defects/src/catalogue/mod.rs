//! The catalogues: a row for each defect, with its names and clauses, its words, and its hooks.
//!
//! A row is short because most defects have one of few shapes: a request that is read wrongly, a reply or its text with
//! another value in it, a refusal with another status. The macros below are these shapes. What needs more is a function
//! below its table.

/// The table of a file. A row has its name, the clause that it breaks, the clause that a finding names if it is another
/// one, former names if it had any; its words; its hooks.
macro_rules! defects {
    ($(
        $name:literal, $clause:literal $(, as $named:literal)? $(, once $former:literal)*,
        $words:literal, $hooks:expr;
    )*) => {
        pub(super) static DEFECTS: &[$crate::Defect] = &[$($crate::Defect {
            name: $name,
            former: &[$($former),*],
            clause: tideover_model::clause!($clause),
            named: $crate::catalogue::last(&[
                tideover_model::clause!($clause),
                $(tideover_model::clause!($named),)?
            ]),
            words: $words,
            hooks: $hooks,
        }),*];
    };
}

/// Changes something in a success. With `|inner|`, the change may ask the service and remember something.
macro_rules! edit {
    (
        $($reply:ident($shown:pat))|+ $(let $part:pat = $of:expr,)? $(if $condition:expr)?
            => $change:expr
    ) => {
        $crate::hooks::reply(&|reply| {
            if let $(tideover_model::wire::reply::Reply::$reply($shown))|+ = reply
                $(&& let $part = $of)?
                $(&& $condition)?
            {
                $change;
            }
        })
    };
    (
        |$inner:ident| $($reply:ident($shown:pat))|+ $(let $part:pat = $of:expr,)?
            $(if $condition:expr)? => $change:expr
    ) => {
        $crate::hooks::answer(&|$inner, operation| {
            let mut answer = $inner.answer(operation);
            if let Ok($(tideover_model::wire::reply::Reply::$reply($shown))|+) = &mut answer
                $(&& let $part = $of)?
                $(&& $condition)?
            {
                $change;
            }
            answer
        })
    };
}

/// Changes something in a success, with what was noted of the request before it was handled. Other requests are handled
/// right.
macro_rules! after {
    (
        |$inner:ident, $noted:ident| $asked:pat => $note:expr,
        $($reply:ident($shown:pat))|+ $(if $condition:expr)? => $change:expr
    ) => {
        $crate::hooks::answer(&|$inner, operation| {
            let $noted = match &operation {
                $asked => $note,
                _ => return $inner.answer(operation),
            };
            let mut answer = $inner.answer(operation);
            if let Ok($(tideover_model::wire::reply::Reply::$reply($shown))|+) = &mut answer
                $(&& $condition)?
            {
                $change;
            }
            answer
        })
    };
}

/// Changes something in a request before it is handled.
macro_rules! request {
    ($operation:ident $asked:tt $(let $part:pat = $of:expr,)? $(if $condition:expr)? => $change:expr) => {
        $crate::hooks::operation(&|operation| {
            if let tideover_model::Operation::$operation $asked = operation
                $(&& let $part = $of)?
                $(&& $condition)?
            {
                $change;
            }
        })
    };
}

/// Refuses a request that is to be accepted.
macro_rules! refuse {
    ($asked:pat if $condition:expr => $code:ident, $clause:literal) => {
        $crate::hooks::answer(&|inner, operation| match &operation {
            $asked if $condition => Err(tideover_model::Refusal::new(
                tideover_model::Code::$code,
                tideover_model::clause!($clause),
            )),
            _ => inner.answer(operation),
        })
    };
}

/// Answers a request that is refused with a code in another way, with what was noted of it before.
macro_rules! despite {
    (
        |$inner:ident, $noted:ident| $asked:pat => $note:expr,
        $code:ident $(if $condition:expr)? => $answer:expr
    ) => {
        $crate::hooks::answer(&|$inner, operation| {
            let $noted = match &operation {
                $asked => $note,
                _ => return $inner.answer(operation),
            };
            match $inner.answer(operation) {
                Err(refusal)
                    if refusal.code == tideover_model::Code::$code $(&& $condition)? =>
                {
                    $answer
                }
                answer => answer,
            }
        })
    };
}

/// Something happens otherwise in the outside world.
macro_rules! happens {
    ($happening:ident $asked:tt => $outcome:expr) => {
        $crate::hooks::happening(&|inner, happening| match happening {
            tideover_model::Happening::$happening $asked => $outcome,
            happening => inner.happen(happening),
        })
    };
}

/// Answers some refusals of an advance with one.
macro_rules! granted {
    (|$inner:pat_param, $refusal:ident| $granted:expr) => {
        $crate::hooks::answer(&|inner, operation| {
            $crate::catalogue::advances::grant_if(inner, operation, |$inner, $refusal| $granted)
        })
    };
}

/// Changes something in the text of a success.
macro_rules! body {
    (|$body:ident| $reply:ident($shown:pat) $(if $condition:expr)? => $change:expr) => {
        $crate::hooks::encoding(&|profile, answer| {
            $crate::catalogue::texts::rewritten(profile, answer, |reply, $body| {
                if let tideover_model::wire::reply::Reply::$reply($shown) = reply
                    $(&& $condition)?
                {
                    $change;
                }
                Some(())
            })
        })
    };
}

/// Gives a field of a success another form: reply and JSON pointer, change.
macro_rules! form {
    ($reply:ident $pointer:literal, $change:expr) => {
        $crate::hooks::encoding(&|profile, answer| {
            $crate::catalogue::texts::rewritten(profile, answer, |reply, body| {
                let change: fn(&serde_json::Value) -> Option<serde_json::Value> = $change;
                let value = body.pointer_mut($pointer)?;
                let is_it = matches!(reply, tideover_model::wire::reply::Reply::$reply(_));
                *value = change(value).filter(|_| is_it)?;
                Some(())
            })
        })
    };
}

/// Gives a refusal another status.
macro_rules! status {
    ($code:ident => $status:literal) => {
        $crate::hooks::encoding(&|profile, answer| {
            $crate::catalogue::texts::with_status(
                profile,
                answer,
                tideover_model::Code::$code,
                $status,
            )
        })
    };
}

/// Changes something in the text of a refusal.
macro_rules! failure {
    ($code:ident, |$body:ident| $change:expr) => {
        $crate::hooks::encoding(&|profile, answer| {
            let code = tideover_model::Code::$code;
            $crate::catalogue::texts::failed(profile, answer, code, |$body| {
                $change;
            })
        })
    };
}

/// Writes a success in place of a refusal.
macro_rules! accepted {
    ($code:ident => $reply:expr) => {
        $crate::hooks::encoding(&|profile, answer| {
            let is_due = $crate::catalogue::texts::is(answer, tideover_model::Code::$code);
            $crate::catalogue::texts::replaced(profile, answer, is_due, || Ok($reply))
        })
    };
}

/// Reads an answer of a receiver as another one.
macro_rules! receipt {
    ($seen:pat => $read:expr) => {
        $crate::hooks::receipt(&|_, _, receipt| match receipt {
            $seen => $read,
            receipt => receipt,
        })
    };
}

mod advances;
mod collections;
mod endings;
mod errors;
mod events;
mod forms;
mod identity;
mod imports;
mod invoices;
mod onboarding;
mod overseen;
mod payout_accounts;
mod quotes;
mod races;
mod remittances;
mod requests;
mod resyncs;
mod rows;
mod schema;
mod secrets;
mod tax_ids;
mod texts;
mod webhooks;

use tideover_model::Clause;

use crate::Defect;

/// What the suite proves itself on, area by area of the document.
pub(crate) static PROVEN: &[&[Defect]] = &[
    identity::DEFECTS,
    tax_ids::DEFECTS,
    onboarding::DEFECTS,
    payout_accounts::DEFECTS,
    remittances::DEFECTS,
    invoices::DEFECTS,
    resyncs::DEFECTS,
    imports::DEFECTS,
    rows::DEFECTS,
    quotes::DEFECTS,
    advances::DEFECTS,
    requests::DEFECTS,
    collections::DEFECTS,
    webhooks::DEFECTS,
    endings::DEFECTS,
    events::DEFECTS,
    schema::DEFECTS,
    forms::DEFECTS,
    errors::DEFECTS,
    secrets::DEFECTS,
    races::DEFECTS,
];

/// What shows only where a whole world is seen.
pub(crate) static OVERSEEN: &[Defect] = overseen::DEFECTS;

const fn last(clauses: &[Clause]) -> Clause {
    clauses[clauses.len() - 1]
}
