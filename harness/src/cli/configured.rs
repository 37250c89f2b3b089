//! Where the options of a command come from: the command line, else the environment, else the file of `--config`, else
//! their defaults.
//!
//! Each option is declared once, as an argument of its command. Its variable and its name in a file follow from its
//! name. The values of a file become the defaults of the arguments, and the command line is parsed once more. So a file
//! takes what the command line takes, and whatever is given there comes first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, CommandFactory, Error, Id};

use crate::cli::live::{LiveOptions, refuse_foreign_permissions};
use crate::cli::settings_file::{Setting, instead, nearest, settings};
use crate::cli::{Cli, Problem, in_file, live, secret};

/// What the names of all variables begin with.
const PREFIX: &str = "TIDEOVER_";
const SERVE: &str = "serve";
const HELP: &str = "help";
/// The option that names the file.
const CONFIG: &str = "config";
/// A file is read by many, so it names the variables with the keys instead.
const KEYS: [&str; 2] = ["key", "second-key"];

/// The whole command line. Each option of `serve` has an environment variable, and what a file may switch on can be
/// switched off with `=false`.
pub(super) fn command() -> Command {
    Cli::command().mut_subcommands(configurable)
}

/// The arguments of the process, completed from the file that they name.
///
/// # Errors
/// [`Problem::Usage`]: a variable and what is wrong with it; the file, its line and the problem. A wrong command line
/// ends the process.
pub(super) fn arguments() -> Result<ArgMatches, Problem> {
    let matches = command().try_get_matches().or_else(|error| match wrong_variable(&error) {
        Some(problem) => Err(Problem::Usage(problem)),
        None => error.exit(),
    })?;
    let Some((name, given)) = matches.subcommand() else { return Ok(matches) };
    let Some(path) = given.try_get_one::<PathBuf>(CONFIG).ok().flatten() else {
        return Ok(matches);
    };
    let text = std::fs::read_to_string(path).map_err(|error| in_file(path, error))?;
    let at_line = |problem| Problem::Usage(format!("{}:{problem}", path.display()));
    let file = settings(&text).map_err(at_line)?;
    let command = command();
    let configured = command.find_subcommand(name).cloned().unwrap_or_default();
    let configured = with_file(configured, &file).map_err(at_line)?;
    let matches = command.mut_subcommand(name, |_| configured).get_matches();
    if let Some((_, given)) = matches.subcommand() {
        refuse_foreign_permissions(&file, given).map_err(|problem| in_file(path, problem))?;
    }
    Ok(matches)
}

/// A command whose options have their variables and their switches.
pub(super) fn configurable(command: Command) -> Command {
    let in_files = options_of_files(&command);
    let is_served = command.get_name() == SERVE;
    command.mut_args(|option| {
        let option = if is_served { with_variable(option) } else { option };
        let is_flag = matches!(option.get_action(), ArgAction::SetTrue);
        if is_flag && in_files.contains(option.get_id()) { switch(option) } else { option }
    })
}

/// A flag that also takes true or false: otherwise nothing could switch off what a file switches on.
fn switch(flag: Arg) -> Arg {
    let flag = flag.action(ArgAction::Set).num_args(0..=1).require_equals(true);
    let flag = flag.default_missing_value("true").default_value("false").hide_default_value(true);
    let flag = flag.value_parser(BoolishValueParser::new()).hide_possible_values(true);
    flag.value_name("BOOL")
}

fn with_variable(option: Arg) -> Arg {
    match option.get_long().filter(|name| *name != HELP).map(variable) {
        Some(variable) => option.env(variable).hide_env_values(true),
        None => option,
    }
}

fn variable(option: &str) -> String {
    format!("{PREFIX}{}", option.replace('-', "_").to_uppercase())
}

/// What is wrong with a variable, if that is why the command line is refused.
fn wrong_variable(error: &Error) -> Option<String> {
    let ContextValue::String(argument) = error.get(ContextKind::InvalidArg)? else { return None };
    let option = argument.strip_prefix("--")?.split([' ', '=', '[']).next()?;
    let given = format!("--{option}");
    let is_given = |word: String| word == given || word.starts_with(&format!("{given}="));
    let variable = variable(option);
    let is_set = std::env::var_os(&variable).is_some();
    if !is_set || std::env::args().any(is_given) {
        return None;
    }
    let wanted = if argument.contains("[=") { "; expected true or false" } else { "" };
    Some(format!("{variable}: {}{wanted}", first_line(error)))
}

fn first_line(error: &Error) -> String {
    let error = error.render().to_string();
    error.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// A sentence for each variable of the environment whose name is like one of an option, and is none.
pub(super) fn misspelt_variables() -> Vec<String> {
    let command = Cli::command();
    let serve = command.find_subcommand(SERVE).map(Command::get_arguments);
    let known: Vec<String> =
        serve.into_iter().flatten().filter_map(Arg::get_long).map(variable).collect();
    let known: Vec<&str> = known.iter().filter_map(|name| name.strip_prefix(PREFIX)).collect();
    let others = [live::VARIABLE, secret::VARIABLE];
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let misspelt = variables.filter_map(|name| {
        let unknown = name.strip_prefix(PREFIX).filter(|it| !known.contains(it))?;
        let meant = nearest(unknown, &known).filter(|_| !others.contains(&name.as_str()))?;
        Some(format!("{name} is no option of tideover serve; do you mean {PREFIX}{meant}?"))
    });
    misspelt.collect()
}

/// The options of a command that a file may have: all of `serve`, and those for a live endpoint of the others.
fn options_of_files(command: &Command) -> Vec<Id> {
    let takes_file = command.get_arguments().any(|option| option.get_id() == CONFIG);
    let of_live = LiveOptions::augment_args(Command::default());
    let options = match command.get_name() {
        SERVE => command.get_arguments(),
        _ if takes_file => of_live.get_arguments(),
        _ => return Vec::new(),
    };
    let may_be = |option: &&Arg| {
        let name = option.get_long().unwrap_or(HELP);
        ![CONFIG, HELP].contains(&name) && !KEYS.contains(&name)
    };
    options.filter(may_be).map(|option| option.get_id().clone()).collect()
}

/// The command with the values of a file as its defaults, or the line number and the problem.
pub(super) fn with_file(command: Command, file: &[Setting]) -> Result<Command, String> {
    let in_files = options_of_files(&command);
    let known = command.get_arguments().filter(|option| in_files.contains(option.get_id()));
    let known: Vec<&Arg> = known.collect();
    let mut defaults: BTreeMap<Id, Vec<String>> = BTreeMap::new();
    for setting in file {
        let at = |problem: String| format!("{}: {problem}", setting.line);
        let option = find(&known, &setting.name, command.get_name()).map_err(at)?;
        check(option, setting).map_err(at)?;
        if defaults.insert(option.get_id().clone(), setting.values.clone()).is_some() {
            return Err(at(format!("{} is there twice, under one name or two", setting.name)));
        }
    }
    Ok(command.mut_args(|option| match defaults.remove(option.get_id()) {
        Some(values) => option.default_values(values),
        None => option,
    }))
}

/// The option that has this name in a file: its own, or in the plural if it may be given again.
fn find<'a>(known: &[&'a Arg], name: &str, command: &str) -> Result<&'a Arg, String> {
    let in_a_file = |option: &Arg| option.get_id().as_str().replace('_', "-");
    let named = |option: &&&Arg| option.get_long() == Some(name) || in_a_file(option) == name;
    known.iter().find(named).copied().ok_or_else(|| {
        if command != SERVE && KEYS.contains(&name) {
            let variable = format!("{}_env", name.replace('-', "_"));
            return format!(
                "{name}: a key never stands in the file: {variable} names the variable with it"
            );
        }
        let names: Vec<String> = known.iter().map(|option| in_a_file(option)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        format!("{name} is no option of tideover {command}; {}", instead(name, &names))
    })
}

/// Whether the option takes the values of the file.
fn check(option: &Arg, setting: &Setting) -> Result<(), String> {
    let Setting { name, values, is_boolean, .. } = setting;
    if option.is_require_equals_set() {
        let problem = || format!("{name}: expected true or false");
        return is_boolean.then_some(()).ok_or_else(problem);
    }
    if values.len() != 1 && !matches!(option.get_action(), ArgAction::Append) {
        return Err(format!("{name}: expected one value"));
    }
    let long = option.get_long().unwrap_or_default();
    let line = values.iter().map(|value| format!("--{long}={value}"));
    let alone = Command::default().no_binary_name(true).arg(option.clone());
    alone.try_get_matches_from(line).map(drop).map_err(|error| first_line(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_of_serve_has_a_variable() {
        let command = command();
        let serve = command.find_subcommand(SERVE).unwrap();
        let variables = serve.get_arguments().filter(|it| it.get_id() != HELP).map(|option| {
            (option.get_long().unwrap(), option.get_env().unwrap().to_str().unwrap())
        });
        let variables: Vec<_> = variables.collect();
        assert!(variables.contains(&("webhook-ca", "TIDEOVER_WEBHOOK_CA")), "{variables:?}");
        assert!(variables.contains(&("port", "TIDEOVER_PORT")), "{variables:?}");
        command.debug_assert();
    }

    /// Whatever a file may switch on, the command line can switch off.
    #[test]
    fn the_command_line_has_the_last_word() {
        let mut tried = 0;
        for name in [SERVE, "check", "replay"] {
            let whole = command();
            let command = whole.find_subcommand(name).unwrap();
            let switches = command.get_arguments().filter(|it| it.is_require_equals_set());
            for id in switches.map(|it| it.get_id().as_str()) {
                let file = settings(&format!("{id} = true")).unwrap();
                let is_on = |words: &[String]| {
                    let configured = with_file(command.clone(), &file).unwrap();
                    let file = (name == "replay").then(|| "x.jsonl".to_owned());
                    let words = [name.to_owned()].into_iter().chain(words.to_vec()).chain(file);
                    configured.get_matches_from(words).get_flag(id)
                };
                let long = id.replace('_', "-");
                assert!(is_on(&[]) && is_on(&[format!("--{long}")]), "{name} --{long}");
                assert!(!is_on(&[format!("--{long}=false")]), "{name} --{long}=false");
                tried += 1;
            }
        }
        assert_eq!(tried, 9, "three flags of serve, and three for a live endpoint, twice");
    }
}
