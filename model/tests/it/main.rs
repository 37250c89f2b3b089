//! The model through its public interface: requests as bytes, happenings as actions.

mod clauses;
mod csv;
mod decoding;
mod deliveries;
mod desk;
mod destinations;
mod generate;
mod hostile;
mod isolation;
mod laws;
mod lifecycle;
mod money;
mod normal_form;
mod open_readings;
mod readings;
mod shapes;
mod signature;
mod snapshot;
mod transactions;
mod vectors;
mod written;
