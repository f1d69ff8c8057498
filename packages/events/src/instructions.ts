// The logged record of a repository's instructions: the files that an engine received, and what had no effect. It never has their text.
import * as v from 'valibot'

/** Entries of each list, and characters of each text: a runner reads fewer, and no runner can fill a log with one event. */
const ENTRIES_MAX = 100
const CHARS_MAX = 500

const text = v.pipe(v.string(), v.maxLength(CHARS_MAX))
const list = <T extends v.GenericSchema>(entry: T) => v.pipe(v.array(entry), v.maxLength(ENTRIES_MAX))

/** The fields of `instructions_loaded`, in the log and on the wire of a runner. */
export const instructionsLoaded = {
  files: list(
    v.looseObject({
      /** Relative to the work folder, with `/`. */
      path: text,
      /** `instructions`, `import`, `skill`, `subagent` or `command`; more may follow. */
      kind: text,
      /** The SHA-256 of the file in hex. */
      digest: text,
      bytes: v.pipe(v.number(), v.integer(), v.minValue(0)),
    }),
  ),
  /** Files that were left out. The reason follows the path: `CLAUDE.md` `is not UTF-8 text`. */
  left_out: list(v.looseObject({ path: text, reason: text })),
  /** Keys of a front matter that have no effect; no keys: the whole file has none. */
  ignored: list(v.looseObject({ path: text, keys: list(text) })),
}

const payload = v.looseObject(instructionsLoaded)
export type InstructionsReport = v.InferOutput<typeof payload>
