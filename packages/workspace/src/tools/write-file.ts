import { type Tool, tool } from '@bridle/agents/tools/tool'
import * as v from 'valibot'
import type { ConfinedFolder } from '../files/confined-folder.ts'
import { WRITE_BYTES_MAX } from '../files/limits.ts'
import { writeText } from '../files/text-writing.ts'
import { WorkspaceError } from '../files/workspace-error.ts'

export const writeFileTool = (folder: ConfinedFolder): Tool =>
  tool({
    name: 'write_file',
    description:
      'Writes a whole text file of the workspace: makes it, with the folders around it, or replaces it. For a change of a part use edit_file.',
    input: v.object({
      path: v.pipe(v.string(), v.description('Relative to the workspace')),
      text: v.pipe(v.string(), v.description('The whole content')),
    }),
    effect: 'idempotent',
    resources: ({ path }) => folder.touched(path),
    run: async ({ path, text }, { signal }) => {
      const bytes = Buffer.byteLength(text)
      if (bytes > WRITE_BYTES_MAX)
        throw new WorkspaceError('too_large', `The text has ${bytes} bytes; at most ${WRITE_BYTES_MAX} are written.`)
      signal.throwIfAborted()
      const isNew = await writeText(folder, folder.placeOf(path), text)
      return { path, bytes, created: isNew }
    },
  })
