import { type Tool, tool } from '@bridle/agents/tools/tool'
import * as v from 'valibot'
import type { ConfinedFolder } from '../files/confined-folder.ts'
import { PATTERN_CHARS_MAX } from '../files/limits.ts'
import { scan } from '../scan/scan.ts'

export const listFilesTool = (folder: ConfinedFolder, ms: number): Tool =>
  tool({
    name: 'list_files',
    description:
      'Lists the entries of a folder of the workspace. With glob, such as "*.ts" or "src/**/*.test.ts", finds files at any depth instead. ' +
      'node_modules and .git are passed over unless path names them.',
    input: v.object({
      path: v.optional(v.pipe(v.string(), v.description('A folder, relative to the workspace')), '.'),
      glob: v.optional(v.pipe(v.string(), v.maxLength(PATTERN_CHARS_MAX), v.description('Relative to path'))),
    }),
    effect: 'pure',
    run: ({ path, glob }, { signal }) =>
      scan(folder, { kind: 'list', root: folder.root, path, glob: glob ?? null }, { ms, signal }),
  })
