// Every limit of the repair of arguments, with a line on why that number.

/** Forms of the same arguments that are tried: as they are written, and without a wrapping. Each one costs a check by the schema. */
export const REPAIR_TRIES_MAX = 4
/** Levels of a schema that a repair looks into: deeper ones are rarely the mistake, and a schema may refer to itself. */
export const REPAIR_DEPTH_MAX = 12
/** Values that one repair looks at: arguments with more are data, and are checked as they came. */
export const REPAIR_VALUES_MAX = 5_000
/** Tools that are named to a model that calls an unknown one: a longer list is not read. */
export const TOOLS_NAMED_MAX = 50
