//! Where the options of `serve` come from: the command line, else the environment, else a file, else their
//! defaults. Each option is declared once, in `serve`.

use std::path::{Path, PathBuf};

use clap::builder::BoolishValueParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, Error};

use crate::cli::settings_file::{Setting, instead, nearest, settings};
use crate::cli::{Cli, Problem, live, secret};

/// What the names of all variables begin with.
const PREFIX: &str = "TIDEOVER_";
const SERVE: &str = "serve";
/// The option that names the file.
const CONFIG: &str = "config";
/// The options that only a command line has.
const NEVER_IN_A_FILE: [&str; 2] = [CONFIG, "help"];

/// The whole command line. Each option of `serve` has an environment variable.
pub(super) fn command() -> Command {
    in_serve(Cli::command(), |serve| serve.mut_args(with_variable))
}

/// The commands in their order, with another `serve`.
fn in_serve(command: Command, change: impl Fn(Command) -> Command) -> Command {
    command.mut_subcommands(|command| match command.get_name() {
        SERVE => change(command),
        _ => command,
    })
}

/// The arguments of the process, completed from the file that they name.
///
/// # Errors
/// [`Problem::Wrong`]: a variable and what is wrong with it; the file, its line and the problem. A wrong command
/// line ends the process.
pub(super) fn arguments() -> Result<ArgMatches, Problem> {
    let matches = command().try_get_matches().or_else(|error| match wrong_variable(&error) {
        Some(problem) => Err(Problem::Wrong(problem)),
        None => error.exit(),
    })?;
    let Some(path) = matches
        .subcommand_matches(SERVE)
        .and_then(|serve| serve.get_one::<PathBuf>(CONFIG).cloned())
    else {
        return Ok(matches);
    };
    let configured = configured(&path, command())?;
    Ok(configured.get_matches())
}

fn with_variable(argument: Arg) -> Arg {
    let Some(name) = argument.get_long().filter(|name| *name != "help") else { return argument };
    let variable = variable(name);
    let argument = argument.env(variable).hide_env_values(true);
    match argument.get_action() {
        ArgAction::SetTrue => argument.value_parser(BoolishValueParser::new()),
        _ => argument,
    }
}

/// The environment variable of an option.
fn variable(option: &str) -> String {
    format!("{PREFIX}{}", option.replace('-', "_").to_uppercase())
}

/// What is wrong with a variable, if that is why the command line is refused.
fn wrong_variable(error: &Error) -> Option<String> {
    let ContextValue::String(argument) = error.get(ContextKind::InvalidArg)? else { return None };
    let option = argument.strip_prefix("--")?.split([' ', '=']).next()?;
    let given = format!("--{option}");
    let is_given = |word: String| word == given || word.starts_with(&format!("{given}="));
    let variable = variable(option);
    let is_set = std::env::var_os(&variable).is_some();
    if !is_set || std::env::args().any(is_given) {
        return None;
    }
    let rendered = error.render().to_string();
    let problem = rendered.lines().next()?.trim_start_matches("error: ");
    let wanted = if argument.contains('<') { "" } else { "; expected true or false" };
    Some(format!("{variable}: {problem}{wanted}"))
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

/// The command with the values of the file as its defaults.
fn configured(path: &Path, command: Command) -> Result<Command, Problem> {
    let wrong = |problem: String| Problem::Wrong(format!("{}:{problem}", path.display()));
    let text = std::fs::read_to_string(path)
        .map_err(|error| Problem::Wrong(format!("{}: {error}", path.display())))?;
    let serve = Cli::command().find_subcommand(SERVE).cloned().unwrap_or_default();
    let mut command = command;
    for setting in settings(&text).map_err(wrong)? {
        let at = |problem: String| wrong(format!("{}: {problem}", setting.line));
        let argument = find(&serve, &setting.name).map_err(at)?;
        check(&serve, argument, &setting).map_err(at)?;
        let (id, values) = (argument.get_id(), &setting.values);
        let with_default = |it: Arg| match it.get_id() == id {
            true => it.default_values(values.clone()),
            false => it,
        };
        command = in_serve(command, |serve| serve.mut_args(with_default));
    }
    Ok(command)
}

/// The option of this name.
fn find<'a>(serve: &'a Command, name: &str) -> Result<&'a Arg, String> {
    let named = |argument: &&Arg| argument.get_long() == Some(name);
    let known = serve.get_arguments().filter(|argument| {
        argument.get_long().is_some_and(|name| !NEVER_IN_A_FILE.contains(&name))
    });
    let known: Vec<&Arg> = known.collect();
    known.iter().copied().find(named).ok_or_else(|| {
        let names: Vec<&str> = known.iter().filter_map(|argument| argument.get_long()).collect();
        format!("{name} is no option of tideover serve; {}", instead(name, &names))
    })
}

/// Whether the option takes the values of the file.
fn check(serve: &Command, argument: &Arg, setting: &Setting) -> Result<(), String> {
    let Setting { name, values, is_boolean, .. } = setting;
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        let problem = || format!("{name}: expected true or false");
        return is_boolean.then_some(()).ok_or_else(problem);
    }
    if values.len() != 1 && !matches!(argument.get_action(), ArgAction::Append) {
        return Err(format!("{name}: expected one value"));
    }
    let line = values.iter().map(|value| format!("--{name}={value}"));
    let line = ["serve".to_owned()].into_iter().chain(line);
    let tried = serve.clone().try_get_matches_from(line);
    tried.map(|_| ()).map_err(|error| {
        let error = error.render().to_string();
        error.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_of_serve_has_a_variable() {
        let command = command();
        let serve = command.find_subcommand(SERVE).unwrap();
        let variables = serve.get_arguments().filter(|it| it.get_id() != "help").map(|argument| {
            (argument.get_long().unwrap(), argument.get_env().unwrap().to_str().unwrap())
        });
        let variables: Vec<_> = variables.collect();
        assert!(variables.contains(&("webhook-ca", "TIDEOVER_WEBHOOK_CA")), "{variables:?}");
        assert!(variables.contains(&("port", "TIDEOVER_PORT")), "{variables:?}");
        command.debug_assert();
    }
}
