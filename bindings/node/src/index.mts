/**
 * The door for ECMAScript modules. It opens on the same code as `require`, so that there is one `Automator` and one
 * class for each error in a program that uses both.
 *
 * @packageDocumentation
 */

export * from "./index.js";
