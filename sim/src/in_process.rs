//! A world in one process with its client and its receiver, without a socket.

use std::fmt::Display;

use axum::body::{Body, HttpBody};
use axum::http::{Request, Response};
use tideover_model::Receipt;
use tower::{Service, ServiceExt};

use crate::clock::{instant, since};
use crate::deliveries::{AttemptResult, NoResponse};
use crate::sending::SigningTime;
use crate::world::World;

impl World {
    /// Sends the webhooks that are due now to `receiver`, one after the other; returns the number of attempts. Each
    /// has the path of its subscription's URL and a signature by the wall clock.
    ///
    /// The world must be one that [nobody else delivers for](crate::Builder::world). What the receiver causes at
    /// once is sent too.
    pub async fn deliver_to<S, B>(&self, receiver: &mut S) -> usize
    where
        S: Service<Request<Body>, Response = Response<B>>,
        S::Error: Display,
        B: HttpBody,
    {
        let mut attempts = 0;
        while let Some((attempt, letter, _)) = self.begin_attempt(SigningTime::Wall) {
            let started = instant();
            let response = match letter.into_request() {
                Ok(request) => match receiver.ready().await {
                    Ok(ready) => ready.call(request).await.map_err(|error| error.to_string()),
                    Err(error) => Err(error.to_string()),
                },
                Err(unsent) => Err(unsent.to_string()),
            };
            let status = response.map(|it| it.status().as_u16()).map_err(NoResponse);
            let receipt =
                status.as_ref().map_or(Receipt::Failed, |status| Receipt::Answered(*status));
            let took = since(started);
            self.end_attempt(&attempt, receipt, AttemptResult { status, took });
            attempts += 1;
        }
        attempts
    }
}
