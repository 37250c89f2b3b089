//! Earlier requests again: a service may compare only a part of two bodies, keep what it should replace, or remember one
//! request where two came.

use proptest::bool::weighted;
use serde_json::Value;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_model::wire::schema::Field;

use crate::generate::draw::Draw;
use crate::generate::names::other_platform;
use crate::generate::plain::plain;
use crate::generate::requests::put;
use crate::generate::tabled::{PLACES, places_of};
use crate::generate::{Walk, classes};

/// Separates these draws from others of the seed.
const PURPOSE: u64 = 0x7a41e7;

/// How many of the last requests count as recent.
const RECENT: usize = 4;

impl Walk {
    /// An earlier request that writes or asks something: as it was, with another field, with another value, or by
    /// another caller.
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
        match self.draw(0_u32..8) {
            0 | 1 => {}
            2 | 3 => self.change_members(&mut step)?,
            4 | 5 => self.change_value(&mut step)?,
            _ => step = self.by_another(step)?,
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

/// A value of an optional field.
fn added(field: &Field, draw: &mut Draw) -> Option<Value> {
    let samples = classes::of(field, draw).into_iter().filter(|sample| sample.is_valid);
    let values: Vec<Value> = samples.filter_map(|sample| sample.value).collect();
    (!values.is_empty()).then(|| draw.pick(&values).clone())
}
