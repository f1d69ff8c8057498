import { type Tool, tool } from '@bridle/agents/tools/tool'
import * as v from 'valibot'
import type { ConfinedFolder } from '../files/confined-folder.ts'
import { isBinary, notText, withFile } from '../files/file-reading.ts'
import { LineWindow } from '../files/line-window.ts'
import { shown, WorkspaceError } from '../files/workspace-error.ts'

/** A page of code, for models that name no limit. */
const READ_LINES = 500
/** Scanned to reach a line. `search_files` finds lines beyond this. */
export const READ_BYTES_MAX = 16 * 2 ** 20

export const readFileTool = (folder: ConfinedFolder): Tool =>
  tool({
    name: 'read_file',
    description:
      'Reads a text file of the workspace. Each line has its number and a tab in front. Long files come in parts: continue with offset.',
    input: v.object({
      path: v.pipe(v.string(), v.description('Relative to the workspace')),
      offset: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.description('The first line, from 1')), 1),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.description('Lines at most')), READ_LINES),
    }),
    effect: 'pure',
    resources: ({ path }) => folder.touched(path),
    run: async ({ path, offset, limit }, { signal }) =>
      withFile(folder, folder.placeOf(path), signal, async ({ stats, chunks }) => {
        const window = new LineWindow(offset, limit)
        const decoder = new TextDecoder()
        let bytes = 0
        for await (const chunk of chunks()) {
          if (bytes === 0 && isBinary(chunk)) throw notText(path, stats.size)
          bytes += chunk.length
          window.add(decoder.decode(chunk, { stream: true }))
          if (window.isFull) break
          if (bytes > READ_BYTES_MAX)
            throw new WorkspaceError(
              'too_large',
              `The first ${READ_BYTES_MAX} bytes of ${shown(path)} end in line ${window.number}. Find what lies behind with search_files.`,
            )
        }
        window.add(decoder.decode())
        const lines = window.end()
        if (bytes === 0) return '(The file is empty.)'
        if (lines.length === 0) return `(The file has ${window.number - 1} lines.)`
        const note = `(The file goes on: continue with offset ${window.number}.)`
        return [...lines, ...(window.hasMore || bytes < stats.size ? [note] : [])].join('\n')
      }),
  })
