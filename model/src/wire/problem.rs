//! Error messages for JSON of the wrong shape: a sentence that names the field and shows no value.

/// The field, and the expected value.
pub(crate) fn problem(error: serde_path_to_error::Error<serde_json::Error>) -> String {
    let path = error.path().to_string();
    let problem = without_value(&without_position(&error.into_inner().to_string()));
    if path == "." { problem } else { format!("{path}: {problem}") }
}

/// Removes line and column, which don't help with a body that a program wrote.
fn without_position(problem: &str) -> String {
    let end = problem.rfind(" at line ").unwrap_or(problem.len());
    problem[..end].to_owned()
}

/// Removes the value, which may be a tax id or an account number (`2.business.taxIdOnFile.2`), or very long.
fn without_value(problem: &str) -> String {
    let unexpected =
        problem.starts_with("invalid type: ") || problem.starts_with("invalid value: ");
    match (first_value(problem), problem.rfind(", expected ")) {
        (Some(start), Some(end)) if unexpected && start < end => {
            format!("{}{}", &problem[..start], &problem[end..])
        }
        _ => problem.to_owned(),
    }
}

/// Where serde shows a value: a number in backticks, a string in quotes.
fn first_value(problem: &str) -> Option<usize> {
    let shown = [problem.find(" `"), problem.find(" \"")];
    shown.into_iter().flatten().min()
}
