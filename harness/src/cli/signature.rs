//! `tideover sign` and `tideover verify`

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tideover_model::signature::{HEADER, Rejection};
use tideover_model::{SigningKey, Timestamp};
use tideover_sim::wall_time;

use crate::cli::secret::{SecretOptions, read};
use crate::cli::{Outcome, Output, Problem, wrong};

/// Sign a body as the service does, and print the header.
///
/// The bytes of the body are signed as they are: other bytes with the same JSON are another body. The
/// secret comes from TIDEOVER_SECRET unless an option gives it.
#[derive(Args)]
pub(super) struct Sign {
    #[command(flatten)]
    signed: SignatureInput,
    /// The time of the signature, in Unix seconds or as a date-time [default: now]
    #[arg(long, value_name = "WHEN", value_parser = unix_seconds)]
    at: Option<u64>,
    /// Print the header as a line of JSON
    #[arg(long)]
    json: bool,
}

impl Sign {
    pub(super) fn run(self) -> Result<Outcome, Problem> {
        let (key, body) = self.signed.read()?;
        let value = key.sign(self.at.unwrap_or_else(now), &body).to_string();
        Output::new(self.json).print(
            format_args!("{HEADER}: {value}"),
            || json!({ "header": HEADER, "value": value }),
        )?;
        Ok(Outcome::Pass)
    }
}

/// Verify the signature of a body, and say which rule is broken.
///
/// The body must be the raw one, byte for byte as it came. The secret comes from TIDEOVER_SECRET unless an
/// option gives it. Exits with 1 if the signature is not valid.
#[derive(Args)]
pub(super) struct Verify {
    #[command(flatten)]
    signed: SignatureInput,
    /// The Service-Signature header, with or without its name; leave it out if there was none
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    header: Option<OsString>,
    /// The time of arrival, in Unix seconds or as a date-time [default: now]
    #[arg(long, value_name = "WHEN", value_parser = unix_seconds)]
    now: Option<u64>,
    /// Print the verdict as a line of JSON
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(super) fn run(self) -> Result<Outcome, Problem> {
        let (key, body) = self.signed.read()?;
        let header = self.header.as_ref().map(|header| value(header.as_encoded_bytes()));
        let judged = key.verify(header, &body, self.now.unwrap_or_else(now));
        print(&Output::new(self.json), judged)?;
        Ok(if judged.is_ok() { Outcome::Pass } else { Outcome::Fail })
    }
}

fn print(output: &Output, judged: Result<(), Rejection>) -> io::Result<()> {
    let Err(rejection) = judged else {
        return output.print("valid", || json!({ "valid": true }));
    };
    let clause = rejection.clause();
    output.print(format_args!("not valid: {rejection} ({clause}: {})", clause.place()), || {
        json!({
            "valid": false,
            "rejection": rejection.name(),
            "error": rejection.to_string(),
            "clause": clause.name(),
        })
    })
}

/// The body and the secret of a signature.
#[derive(Args)]
struct SignatureInput {
    /// The file with the raw body; - or nothing reads standard input
    #[arg(value_name = "FILE")]
    body: Option<PathBuf>,
    #[command(flatten)]
    secret: SecretOptions,
}

impl SignatureInput {
    fn read(&self) -> Result<(SigningKey, Vec<u8>), Problem> {
        Ok((SigningKey::new(&self.secret.secret()?), self.body()?))
    }

    fn body(&self) -> Result<Vec<u8>, Problem> {
        match self.body.as_deref() {
            Some(path) if path != Path::new("-") => read(path),
            Some(_) | None => {
                let mut body = Vec::new();
                let read = io::stdin().lock().read_to_end(&mut body);
                read.map_err(|error| wrong(format!("standard input: {error}")))?;
                Ok(body)
            }
        }
    }
}

/// The value of a header, without its name and the white space that HTTP removes.
fn value(header: &[u8]) -> &[u8] {
    let named = header
        .split_at_checked(HEADER.len())
        .filter(|(name, _)| name.eq_ignore_ascii_case(HEADER.as_bytes()))
        .and_then(|(_, rest)| rest.strip_prefix(b":"));
    named.unwrap_or(header).trim_ascii()
}

fn now() -> u64 {
    wall_time().unix_unsigned()
}

fn unix_seconds(text: &str) -> Result<u64, String> {
    let date_time =
        || Timestamp::parse(text).and_then(|instant| u64::try_from(instant.unix()).ok());
    text.parse().ok().or_else(date_time).ok_or_else(|| {
        "expected Unix seconds, or a date-time since 1970 such as 2026-01-31T00:00:00Z".into()
    })
}
