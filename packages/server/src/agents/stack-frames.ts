import { fileURLToPath } from 'node:url'
import type { SourcePosition } from './code-frame.ts'
import { isProjectFile } from './project-file.ts'

/** Deeper frames are rarely the cause. */
const STACK_FRAMES_MAX = 10

export interface StackFrame extends SourcePosition {
  readonly name: string | null
}

export const projectFrames = (error: Error, root: string): readonly StackFrame[] =>
  (error.stack ?? '')
    .split('\n')
    .flatMap((line) => parseFrame(line) ?? [])
    .filter(({ path }) => isProjectFile(path, root))
    .slice(0, STACK_FRAMES_MAX)

/** Matches `at name (file:///a.ts?changed=0.1:3:7)`, or `at file:///a.ts:3:7` without a name; also with a plain path. */
const parseFrame = (line: string): StackFrame | null => {
  const [, name = null, place = ''] = /^\s+at (?:async )?(?:(.*?) \()?(.*?)\)?$/.exec(line) ?? []
  const [, address = '', row, column] = /^(.*?)(?:\?[^:]*)?:(\d+):(\d+)$/.exec(place) ?? []
  if (!address.startsWith('file:') && !address.startsWith('/')) return null
  const path = address.startsWith('file:') ? fileURLToPath(address) : address
  return { path, line: Number(row), column: Number(column), name }
}
