/**
 * Lets zod walk its schemas instead of compiling a function for each at its first use: a server checks a message now and
 * then, so compiling costs more than it saves, at every start. To be imported before whatever makes schemas.
 */
import * as z from "zod";

z.config({ jitless: true });
