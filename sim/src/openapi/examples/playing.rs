//! Plays the story: sends requests, collects the answers, lets time pass and deliveries arrive.

use std::sync::Arc;

use serde_json::Value;
use tideover_model::exchange::{Asked, Request};
use tideover_model::wire::action;
use tideover_model::words::EventKind;
use tideover_model::{Answer, Face, OperationKind, PlatformId, Receipt, exchange};

use crate::openapi::examples::{Delivered, Exchange, HOOK, KEY, Story};

impl Story {
    /// Sends JSON with the key, or no body; keeps the exchange.
    pub(super) fn ask(
        &mut self,
        kind: OperationKind,
        name: &str,
        identifiers: &[&str],
        body: &Value,
    ) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(kind, name, identifiers, Some(KEY), kind.media_type(), &body);
    }

    /// Sends a request, and keeps the exchange.
    pub(super) fn send(
        &mut self,
        kind: OperationKind,
        name: &str,
        identifiers: &[&str],
        key: Option<&str>,
        media_type: Option<&str>,
        body: &str,
    ) {
        let path = kind.path_of(identifiers);
        let request = Request {
            method: kind.method(),
            path: &path,
            authorization: key,
            content_type: media_type,
            body: body.as_bytes(),
        };
        let asked = Asked::by(&request);
        let answer = exchange::attempt(&mut self.service, self.now, key, asked);
        self.deliver();
        self.keep(kind, name, identifiers, body, answer);
    }

    /// Keeps an exchange: a refusal under its code, a success under `name`, if it has one.
    pub(super) fn keep(
        &mut self,
        kind: OperationKind,
        name: &str,
        identifiers: &[&str],
        body: &str,
        answer: Answer,
    ) {
        let name = answer.as_ref().map_or_else(|refusal| refusal.code.name(), |_| name);
        if name.is_empty() {
            return;
        }
        let identifiers = identifiers.iter().map(|&identifier| identifier.to_owned()).collect();
        let exchange = Exchange { identifiers, body: body.to_owned(), answer };
        let kept = self.examples.exchanges.entry(kind).or_default();
        kept.entry(name.to_owned()).or_insert(exchange);
    }

    /// Plays the outside world.
    pub(super) fn act(&mut self, name: &str, fields: Value) {
        let mut fields = fields;
        fields[action::NAME] = name.into();
        let fields = fields.as_object().cloned().unwrap_or_default();
        if let Ok(happening) = action::asked(&fields, "") {
            // What cannot happen leaves its examples out, and a test misses them.
            let _ = self.service.happen(self.now, PlatformId::DEFAULT, happening);
        }
        self.deliver();
    }

    /// Lets so many seconds pass.
    pub(super) fn wait(&mut self, seconds: u64) {
        self.now = self.now.after(seconds);
        self.service.handle_timeout(self.now);
        self.deliver();
    }

    /// Sends what is due to a receiver that accepts everything.
    fn deliver(&mut self) {
        while self.service.poll_delivery().is_some() {}
        while let Some(attempt) = self.service.poll_attempt(self.now) {
            let delivery = &attempt.delivery;
            if let (EventKind::Listed(event), true) = (delivery.event, &*delivery.url == HOOK) {
                let delivered = Delivered {
                    id: delivery.id.clone(),
                    signature: attempt.sign(self.now).to_string(),
                    body: Arc::clone(&delivery.body),
                };
                self.examples.deliveries.entry(event.name()).or_insert(delivered);
            }
            self.service.handle_receipt(self.now, &attempt, Receipt::Answered(200));
        }
    }
}
