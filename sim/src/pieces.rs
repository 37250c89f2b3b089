//! JSON documents with a long list, made piece by piece as the client takes them: no list is in memory as a whole, and
//! other requests are answered in between.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use futures_util::stream;
use serde::Serialize;
use tokio::task::yield_now;

/// About how many bytes a piece has.
pub(crate) const PIECE: usize = 64 << 10;

/// What stands around a list, and what is in it.
pub(crate) trait List: Send + 'static {
    /// What stands in front of the first item.
    fn opening(&self) -> String;

    /// Adds the next items, about as many as a piece has; false if there are no more.
    fn more(&mut self, items: &mut Items) -> bool;

    /// What stands after the last item.
    fn closing(&self) -> String;
}

/// The items of a piece.
pub(crate) struct Items {
    text: Vec<u8>,
    is_first: bool,
}

impl Items {
    pub(crate) fn push(&mut self, item: &impl Serialize) {
        if !self.is_first {
            self.text.push(b',');
        }
        self.is_first = false;
        // Writing to memory does not fail, and the keys of every item are strings.
        let _ = serde_json::to_writer(&mut self.text, item);
    }
}

/// The body of a document. One that is a single piece has a length.
pub(crate) fn body(list: impl List) -> Body {
    let text = list.opening().into_bytes();
    let items = Items { text, is_first: true };
    let mut pieces = Pieces { list: Box::new(list), items, is_done: false };
    let first = pieces.make();
    if pieces.is_done {
        return Body::from(first);
    }
    pieces.items.text = first;
    Body::from_stream(stream::unfold(pieces, async |mut pieces| {
        // A client that reads fast must not hold up other requests.
        yield_now().await;
        let piece = pieces.make();
        (!piece.is_empty()).then(|| (Ok::<_, Infallible>(Bytes::from(piece)), pieces))
    }))
}

struct Pieces {
    list: Box<dyn List>,
    /// What is made and not yet sent.
    items: Items,
    is_done: bool,
}

impl Pieces {
    /// The next piece.
    fn make(&mut self) -> Vec<u8> {
        while self.items.text.len() < PIECE && !self.is_done {
            if !self.list.more(&mut self.items) {
                self.items.text.extend_from_slice(self.list.closing().as_bytes());
                self.is_done = true;
            }
        }
        std::mem::take(&mut self.items.text)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::HttpBody;
    use http_body_util::BodyExt;

    use super::*;

    struct Numbers(std::ops::Range<u32>);

    impl List for Numbers {
        fn opening(&self) -> String {
            "[".to_owned()
        }

        fn more(&mut self, items: &mut Items) -> bool {
            let next = self.0.next();
            next.inspect(|number| items.push(number)).is_some()
        }

        fn closing(&self) -> String {
            "]".to_owned()
        }
    }

    #[tokio::test]
    async fn pieces_are_one_document() {
        for most in [0, 1, 3, 100_000] {
            let body = body(Numbers(0..most));
            assert_eq!(body.size_hint().exact().is_some(), most < 1000);
            let text = body.collect().await.unwrap().to_bytes();
            let numbers: Vec<u32> = serde_json::from_slice(&text).unwrap();
            assert!(numbers.into_iter().eq(0..most));
        }
    }

    #[tokio::test]
    async fn a_piece_is_made_when_it_is_wanted() {
        let mut body = body(Numbers(0..100_000));
        let mut pieces = 0;
        while let Some(frame) = body.frame().await {
            let length = frame.unwrap().into_data().unwrap().len();
            assert!(length <= PIECE + 8, "{length}");
            pieces += 1;
        }
        assert_eq!(pieces, 9);
    }
}
