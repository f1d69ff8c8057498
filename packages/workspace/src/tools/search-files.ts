import { type Tool, tool } from '@bridle/agents/tools/tool'
import * as v from 'valibot'
import type { ConfinedFolder } from '../files/confined-folder.ts'
import { PATTERN_CHARS_MAX } from '../files/limits.ts'
import { scan } from '../scan/scan.ts'

const text = v.pipe(v.string(), v.maxLength(PATTERN_CHARS_MAX))

export const searchFilesTool = (folder: ConfinedFolder, ms: number): Tool =>
  tool({
    name: 'search_files',
    description:
      'Searches the text files of the workspace, line by line. Answers "path:line: text". ' +
      'node_modules and .git are passed over unless path names them.',
    input: v.object({
      pattern: v.pipe(text, v.nonEmpty(), v.description('A regular expression of JavaScript')),
      text: v.optional(v.pipe(v.boolean(), v.description('The pattern is plain text')), false),
      ignore_case: v.optional(v.boolean(), false),
      path: v.optional(v.pipe(v.string(), v.description('A folder or a file, relative to the workspace')), '.'),
      glob: v.optional(v.pipe(text, v.description('Only files such as "*.ts", relative to path'))),
    }),
    effect: 'pure',
    run: ({ pattern, text: isText, ignore_case: ignoresCase, path, glob }, { signal }) =>
      scan(
        folder,
        { kind: 'search', root: folder.root, path, glob: glob ?? null, pattern, isText, ignoresCase },
        { ms, signal },
      ),
  })
