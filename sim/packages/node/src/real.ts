// Time as it is, whatever a test fakes: runners replace what is global, and what `node:timers` exports, later on.

import * as timers from "node:timers";

export const { setTimeout, clearTimeout } = timers;
export const { now } = Date;
