//! The options for a live target as they were written, on the command line or in a file.
//!
//! A replay runs under the permissions of the run that found it. So the command that replays a finding has each of
//! them, unless this file says otherwise: nobody can forget a new one.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use tideover_report::quoted;

use crate::cli::live::LiveOptions;
use crate::cli::live::headers::concealed;

/// The options that a replay command does not have, and why.
const OF_A_RUN: [(&str, &str); 4] = [
    ("config", "what it holds is carried over, option by option"),
    ("workers", "a replay plays one case"),
    ("journal", "a replay must not overwrite the journal of the run"),
    ("run", "the names of a replay must be new"),
];

/// What is written for the options that were given, in the order of their declaration.
#[derive(Clone, Debug)]
pub(in crate::cli) struct GivenOptions(Vec<GivenOption>);

#[derive(Clone, Debug)]
struct GivenOption {
    id: String,
    /// As on the command line, without its hyphens.
    name: String,
    /// `None` for a flag.
    values: Option<Vec<String>>,
    is_on_command_line: bool,
}

/// It has no options of its own: it looks at those of [`LiveOptions`].
impl Args for GivenOptions {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for GivenOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<GivenOptions, Error> {
        let known = LiveOptions::augment_args(Command::default());
        let given = known.get_arguments().filter_map(|option| GivenOption::of(option, matches));
        Ok(GivenOptions(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = GivenOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

impl GivenOption {
    fn of(option: &Arg, matches: &ArgMatches) -> Option<GivenOption> {
        let (id, name) = (option.get_id().as_str(), option.get_long()?);
        let values = match option.get_action() {
            ArgAction::SetTrue if matches.get_flag(id) => None,
            ArgAction::SetTrue => return None,
            _ => {
                let written = matches.get_raw(id)?;
                Some(written.map(|value| value.to_string_lossy().into_owned()).collect())
            }
        };
        let is_on_command_line = matches.value_source(id) == Some(ValueSource::CommandLine);
        Some(GivenOption { id: id.to_owned(), name: name.to_owned(), values, is_on_command_line })
    }

    /// What follows the name, each time that it is given. Shell variables stand for keys, tax ids and account numbers:
    /// those of the curl lines.
    fn words(&self) -> Vec<String> {
        let Some(values) = &self.values else { return vec![String::new()] };
        let word = |(index, value): (usize, &String)| {
            let number = index + 1;
            match self.id.as_str() {
                "key" => "\"$API_KEY\"".to_owned(),
                "second_key" => "\"$OTHER_KEY\"".to_owned(),
                "headers" => quoted(&concealed(value, number)),
                "tax_ids" => format!("\"$TAX_ID_{number}\""),
                "banks" => {
                    let routing = value.split_once(':').map_or("", |(_, routing)| routing);
                    format!("\"$ACCOUNT_{number}:{routing}\"")
                }
                _ if value.bytes().all(|byte| byte.is_ascii_digit()) => value.clone(),
                _ => quoted(value),
            }
        };
        values.iter().enumerate().map(|it| format!(" {}", word(it))).collect()
    }
}

impl GivenOptions {
    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same options for the command that replays a finding.
    pub(super) fn for_a_replay(&self) -> String {
        let is_carried = |it: &&GivenOption| OF_A_RUN.iter().all(|(id, _)| *id != it.id);
        let carried = self.0.iter().filter(is_carried);
        carried
            .flat_map(|it| it.words().into_iter().map(move |word| format!(" --{}{word}", it.name)))
            .collect()
    }

    pub(super) fn is_on_command_line(&self, id: &str) -> bool {
        self.0.iter().any(|it| it.id == id && it.is_on_command_line)
    }

    /// The names of the options on the command line, without those of `used`. A file may have options for several
    /// commands.
    pub(super) fn on_command_line_without(&self, used: &[&str]) -> Vec<String> {
        let is_unused = |it: &&GivenOption| it.is_on_command_line && !used.contains(&&*it.id);
        self.0.iter().filter(is_unused).map(|it| format!("--{}", it.name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Parser;

    use super::*;
    use crate::cli::configured::{configurable, with_file};
    use crate::cli::settings_file::settings;

    #[derive(Parser)]
    #[command(name = "check")]
    struct Check {
        #[command(flatten)]
        live: LiveOptions,
    }

    /// Each option of a live endpoint that a file may have, with a value of its own.
    const ALL: &str = r#"
        target = "https://api.example.com"
        key_env = "KEY"
        second_key_env = "SECOND"
        operator = "https://op.example.com"
        webhook_listen = "127.0.0.1:8443"
        webhook_url = "https://hooks.example.com/it's"
        ca = "a b.pem"
        client_cert = "own.pem"
        headers = ["X-One: $ONE", "X-Two: hidden-value"]
        sandbox = true
        tax_id_range = "200000000-300000000"
        allow_writes = true
        allow_disturbance = true
        accounts = ["acme", "other"]
        account_prefix = "test-"
        payors = ["globex=Globex Inc"]
        emails = ["qa@example.com"]
        tax_ids = ["98-7654321", "98-7654322"]
        banks = ["000123456789:021000021"]
        max_requests = 77
        max_seconds = 78
        max_financed = 79
        max_subscriptions = 80
        requests_per_second = 81
        timeout = 82
        workers = 3
        restart = "make it's"
        journal = "journal.jsonl"
        run = "run"
    "#;

    fn parse(file: &str, words: &[&str]) -> LiveOptions {
        let command = configurable(<Check as clap::CommandFactory>::command());
        let command = with_file(command, &settings(file).unwrap()).unwrap();
        let words = ["check"].iter().chain(words);
        Check::from_arg_matches(&command.get_matches_from(words)).unwrap().live
    }

    /// What stands in the file is carried over as well.
    fn all() -> String {
        let keys = ["--key", "secret-key", "--second-key", "second-secret", "--config", "l.toml"];
        parse(ALL, &keys).given.for_a_replay()
    }

    #[test]
    fn each_option_is_carried_over_or_named_as_one_of_a_run() {
        let words = all();
        let known = LiveOptions::augment_args(Command::new("replay"));
        let of_a_run: BTreeSet<&str> = OF_A_RUN.iter().map(|(id, _)| *id).collect();
        for option in known.get_arguments() {
            let (id, name) = (option.get_id().as_str(), option.get_long().unwrap());
            let is_carried = words.split(' ').any(|word| word == format!("--{name}"));
            assert_eq!(is_carried, !of_a_run.contains(id), "--{name} in {words}");
        }
        for (id, _) in OF_A_RUN {
            assert!(known.get_arguments().any(|option| option.get_id() == id), "{id}");
        }
    }

    #[test]
    fn values_are_quoted_and_secrets_are_variables() {
        let words = format!("{} ", all());
        for expected in [
            r" --webhook-url 'https://hooks.example.com/it'\''s' ",
            " --ca 'a b.pem' ",
            " --key \"$API_KEY\" ",
            " --second-key \"$OTHER_KEY\" ",
            " --header 'X-One: $ONE' --header 'X-Two: $HEADER_2' ",
            " --sandbox --tax-id-range '200000000-300000000' ",
            " --account 'acme' --account 'other' ",
            " --payor 'globex=Globex Inc' ",
            " --tax-id \"$TAX_ID_1\" --tax-id \"$TAX_ID_2\" --bank \"$ACCOUNT_1:021000021\" ",
            " --max-subscriptions 80 ",
            " --timeout 82 ",
            r" --restart 'make it'\''s' ",
        ] {
            assert!(words.contains(expected), "{expected} in {words}");
        }
        for secret in ["secret", "hidden", "7654321", "123456789", "journal", "--run", "--workers"]
        {
            assert!(!words.contains(secret), "{secret} in {words}");
        }
        assert!(parse("", &[]).given.is_empty());
    }

    #[test]
    fn what_is_switched_off_is_not_carried_over() {
        let off = parse("sandbox = true\naccounts = ['a']\n", &["--sandbox=false"]);
        assert_eq!(off.given.for_a_replay(), " --account 'a'");
        let typed = parse("workers = 3\n", &["--timeout", "5", "--run", "r"]);
        assert_eq!(typed.given.on_command_line_without(&["timeout"]), ["--run"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_utf_8_drops_no_other_option() {
        use std::os::unix::ffi::OsStringExt;
        let path = std::ffi::OsString::from_vec(b"--ca=\xff.pem".to_vec());
        let command = configurable(<Check as clap::CommandFactory>::command());
        let words = ["check".into(), path, "--sandbox".into()];
        let options = Check::from_arg_matches(&command.get_matches_from(words)).unwrap().live;
        assert_eq!(options.given.for_a_replay(), " --ca '\u{fffd}.pem' --sandbox");
    }

    #[test]
    fn the_file_in_the_guide_is_taken() {
        let page = include_str!("../../../../docs/live.md");
        let (_, after) = page.split_once("# tideover check --config").unwrap();
        let (file, _) = after.split_once("```").unwrap();
        let (_, file) = file.split_once('\n').unwrap();
        assert!(!parse(file, &[]).given.is_empty());
    }
}
