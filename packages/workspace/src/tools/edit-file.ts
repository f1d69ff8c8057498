import { type Tool, tool } from '@bridle/agents/tools/tool'
import * as v from 'valibot'
import type { ConfinedFolder, WorkspacePlace } from '../files/confined-folder.ts'
import { isBinary, notText, withFile } from '../files/file-reading.ts'
import { WRITE_BYTES_MAX } from '../files/limits.ts'
import { editText, type TextEdit } from '../files/text-edit.ts'
import { writeText } from '../files/text-writing.ts'
import { shown, WorkspaceError } from '../files/workspace-error.ts'

/** The edit holds several copies in memory. */
export const EDIT_BYTES_MAX = 8 * 2 ** 20

export const editFileTool = (folder: ConfinedFolder): Tool =>
  tool({
    name: 'edit_file',
    description:
      'Replaces a text in a file of the workspace. old_text must be in the file exactly once, character for character, without line numbers; or set all.',
    input: v.object({
      path: v.pipe(v.string(), v.description('Relative to the workspace')),
      old_text: v.pipe(v.string(), v.description('The text to replace, with enough around it to be unique')),
      new_text: v.pipe(v.string(), v.description('The text in its place')),
      all: v.optional(v.pipe(v.boolean(), v.description('Replace every place')), false),
    }),
    effect: 'idempotent',
    resources: ({ path }) => folder.touched(path),
    run: async ({ path, old_text: oldText, new_text: newText, all }, { signal }) => {
      if (oldText === '')
        throw new WorkspaceError('no_match', 'old_text is empty. To write a whole file use write_file.')
      if (oldText === newText) throw new WorkspaceError('no_match', 'old_text and new_text are the same.')
      if (Buffer.byteLength(newText) > WRITE_BYTES_MAX)
        throw new WorkspaceError('too_large', `new_text has more than ${WRITE_BYTES_MAX} bytes.`)
      const place = folder.placeOf(path)
      const text = await wholeText(folder, place, signal)
      const asInFile = lineEndsOf(text, oldText)
      const edit = editText(text, { oldText: asInFile(oldText), newText: asInFile(newText), all })
      if (edit.kind === 'done') return { path, changed: false, note: 'The new text is there already.' }
      if (edit.kind !== 'edited') throw problem(edit, path)
      if (Buffer.byteLength(edit.text) > EDIT_BYTES_MAX) throw tooLarge(path)
      signal.throwIfAborted()
      await writeText(folder, place, edit.text)
      return { path, changed: true, places: edit.places }
    },
  })

/** The text, if it can be written back losslessly. */
const wholeText = (folder: ConfinedFolder, place: WorkspacePlace, signal: AbortSignal): Promise<string> =>
  withFile(folder, place, signal, async ({ stats, chunks }) => {
    if (stats.size > EDIT_BYTES_MAX) throw tooLarge(place.path)
    const pieces: Buffer[] = []
    for await (const chunk of chunks()) pieces.push(chunk)
    const bytes = Buffer.concat(pieces)
    if (isBinary(bytes)) throw notText(place.path, stats.size)
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new WorkspaceError('not_text', `${shown(place.path)} is not UTF-8, so it cannot be edited here.`)
    }
  })

/** Models write LF, because they do not see line endings. In a CRLF file they mean CRLF. */
const lineEndsOf = (text: string, oldText: string): ((part: string) => string) =>
  text.includes('\r\n') && !oldText.includes('\r\n') ? (part) => part.replace(/\r?\n/g, '\r\n') : (part) => part

const problem = (edit: Exclude<TextEdit, { kind: 'edited' | 'done' }>, path: string): WorkspaceError => {
  if (edit.kind === 'no_match')
    return new WorkspaceError('no_match', `old_text is not in ${shown(path)}. Read the file: it may have changed.`)
  if (edit.kind === 'many_matches')
    return new WorkspaceError(
      'many_matches',
      `old_text is ${edit.places} times in ${shown(path)}. Give more of the text around it, or set all.`,
    )
  return new WorkspaceError(
    'edit_repeats',
    'The result would have old_text again, so a repeated call would change it again. Give more of the text around it.',
  )
}

const tooLarge = (path: string): WorkspaceError =>
  new WorkspaceError('too_large', `${shown(path)} has, or would have, more than ${EDIT_BYTES_MAX} bytes.`)
