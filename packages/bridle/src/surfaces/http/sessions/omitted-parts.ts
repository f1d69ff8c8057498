import * as v from 'valibot'

/** Names of parts that an answer leaves out. A name that this version does not know leaves out nothing. */
export const omitSchema = v.optional(
  v.pipe(
    v.string(),
    v.transform((text) => text.split(',').map((name) => name.trim())),
  ),
)
