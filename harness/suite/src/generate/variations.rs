//! Earlier requests again: a service may compare only a part of two bodies, keep what it should replace, or remember one
//! request where two came.

use proptest::bool::weighted;
use serde_json::Value;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_model::OperationKind;
use tideover_model::wire::route::segment;
use tideover_model::wire::schema::Field;

use crate::generate::draw::Draw;
use crate::generate::frame::{identifiers, names_of};
use crate::generate::names::{PAYORS, VENDORS, other_platform};
use crate::generate::plain::plain;
use crate::generate::requests::put;
use crate::generate::tabled::{PLACES, places_of};
use crate::generate::{Walk, classes, requests as make};

/// Separates these draws from others of the seed.
const PURPOSE: u64 = 0x7a41e7;

/// How many of the last requests count as recent.
const RECENT: usize = 4;

impl Walk {
    /// An earlier request that writes or asks something: as it was, with another field, with another value, by another
    /// caller, or about another business.
    pub(super) fn variation(&mut self) -> Option<Step> {
        let asks =
            |step: &&Step| matches!(&step.action, Action::Call(call) if call.method != "GET");
        let calls: Vec<&Step> = self.steps.iter().filter(asks).collect();
        if calls.is_empty() {
            return None;
        }
        let recent = &calls[calls.len().saturating_sub(RECENT)..];
        let from = if self.source.value(weighted(0.6)) { recent } else { &calls };
        let mut step = (*self.source.pick(from)).clone();
        match self.draw(0_u32..10) {
            0 | 1 => {}
            2 | 3 => self.change_members(&mut step)?,
            4 | 5 => self.change_value(&mut step)?,
            6 | 7 => step = self.by_another(step)?,
            _ => self.turn_to_another(&mut step)?,
        }
        Some(step)
    }

    /// Leaves out one optional field, or adds it.
    fn change_members(&mut self, step: &mut Step) -> Option<()> {
        let Action::Call(call) = &mut step.action else { return None };
        let kind = call.kind()?;
        let body = call.body.as_mut()?.as_object_mut()?;
        let mut draw = self.draws_of_variation();
        let optional: Vec<&Field> = kind.fields().iter().filter(|it| !it.is_required).collect();
        let field = *draw.pick(Some(&*optional).filter(|fields| !fields.is_empty())?);
        if body.remove(field.name).is_none() {
            body.insert(field.name.to_owned(), added(field, &mut draw)?);
        }
        Some(())
    }

    /// Gives one field a value of another class.
    fn change_value(&mut self, step: &mut Step) -> Option<()> {
        let Action::Call(call) = &mut step.action else { return None };
        let (kind, body) = (call.kind()?, call.body.as_mut()?);
        let mut draw = self.draws_of_variation();
        let places = places_of(kind);
        let place = draw.pick(Some(&*places).filter(|places| !places.is_empty())?);
        let samples = place.samples(&mut draw);
        let sample = draw.pick(Some(&*samples).filter(|samples| !samples.is_empty())?);
        put(body, &place.at.path, sample.value.clone());
        Some(())
    }

    /// The same request by the other platform, if it has a key.
    fn by_another(&self, step: Step) -> Option<Step> {
        let other = other_platform();
        match step.caller == other {
            true => Some(step.by(&Caller::Default)),
            false => self.has_other_platform().then(|| step.by(&other)),
        }
    }

    /// Asks the same of another business that is there: mostly of one that is onboarded if this one is not, or the other
    /// way round, since a service that mixes them up answers both alike.
    fn turn_to_another(&mut self, step: &mut Step) -> Option<()> {
        let [encoded, name] = business_of(&make::read_back(step)?)?;
        let own = self.written.iter().filter(|read| read.caller == step.caller);
        let mut others: Vec<[String; 2]> = own.filter_map(business_of).collect();
        let usual = VENDORS.iter().chain(&PAYORS);
        others.extend(usual.map(|it| [segment(it).into_owned(), (*it).to_owned()]));
        let mut is_onboarded = |name: &str| {
            self.peek_business(&step.caller, name).map(|known| known.onboarding.is_complete())
        };
        let own = is_onboarded(&name);
        let known: Vec<(bool, [String; 2])> = others
            .into_iter()
            .filter(|[_, other]| *other != name)
            .filter_map(|other| Some((Some(is_onboarded(&other[1])?) != own, other)))
            .collect();
        let differ = known.iter().any(|(differs, _)| *differs) && self.source.percent(80);
        let from: Vec<_> = known.into_iter().filter(|(differs, _)| *differs == differ).collect();
        let (_, [other_encoded, other]) =
            self.source.pick(Some(&*from).filter(|it| !it.is_empty())?);
        let Action::Call(call) = &mut step.action else { return None };
        let segments = call.path.split('/');
        let turned = segments.map(|it| if it == encoded { &**other_encoded } else { it });
        call.path = turned.collect::<Vec<&str>>().join("/");
        if let Some(body) = &mut call.body {
            rename(body, &name, other);
        }
        Some(())
    }

    /// The last step once more about another business, if it asks for something of one without changing it.
    pub(super) fn same_of_another(&mut self) -> Option<Step> {
        let mut step = self.steps.last()?.clone();
        let Action::Call(call) = &step.action else { return None };
        match call.kind()? {
            OperationKind::Quote
            | OperationKind::Invite
            | OperationKind::CreateOnboardingSession => self.turn_to_another(&mut step)?,
            _ => return None,
        }
        Some(step)
    }

    /// A plain request with one field that has an invalid value, or one that the document leaves open.
    pub(super) fn with_bad_field(&mut self) -> Step {
        let mut draw = self.draws_of_variation();
        let place = draw.pick(&PLACES);
        let mut samples = place.samples(&mut draw);
        samples.retain(|sample| !sample.is_valid);
        let mut step = plain(place.kind);
        if let Action::Call(Call { body: Some(body), .. }) = &mut step.action
            && !samples.is_empty()
        {
            put(body, &place.at.path, draw.pick(&samples).value.clone());
        }
        step
    }

    fn draws_of_variation(&mut self) -> Draw {
        Draw::new([self.seed, self.draw(0..u64::MAX), PURPOSE])
    }
}

/// The business in the path of a read, encoded and as it is called.
fn business_of(read: &Step) -> Option<[String; 2]> {
    let is_of_one = |kind: &OperationKind| {
        matches!(kind, OperationKind::GetBusiness | OperationKind::GetInvoice)
    };
    read.kind().filter(is_of_one)?;
    let ([encoded, _], [name, _]) = identifiers(read).zip(names_of(read))?;
    Some([encoded, name])
}

/// Puts another name in the place of each text that is `name`.
fn rename(value: &mut Value, name: &str, other: &str) {
    match value {
        Value::String(text) if text == name => *text = other.to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|it| rename(it, name, other)),
        Value::Object(fields) => fields.values_mut().for_each(|it| rename(it, name, other)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A value of an optional field.
fn added(field: &Field, draw: &mut Draw) -> Option<Value> {
    let samples = classes::of(field, draw).into_iter().filter(|sample| sample.is_valid);
    let values: Vec<Value> = samples.filter_map(|sample| sample.value).collect();
    (!values.is_empty()).then(|| draw.pick(&values).clone())
}
