import { type Tool, type ToolApprovalRule, tool } from '@bridle/agents/tools/tool'
import * as v from 'valibot'
import { SHELL_END_MS, SHELL_MS_MAX } from '../files/limits.ts'
import { WorkspaceError } from '../files/workspace-error.ts'
import { runCommand } from '../shell/shell-command.ts'
import type { ShellStarter } from '../shell/shell-starter.ts'

/** Longer scripts belong in a file. */
const COMMAND_CHARS_MAX = 20_000

export interface ShellToolOptions {
  readonly start: ShellStarter
  readonly isSandboxed: boolean
  /** Commands cannot write, so nothing remains. */
  readonly leavesNothing: boolean
  readonly approve: ToolApprovalRule<{ readonly command: string }>
  readonly ms: number
}

export const shellTool = ({ start, isSandboxed, leavesNothing, approve, ms: ownMs }: ShellToolOptions): Tool =>
  tool({
    name: 'shell',
    description: `Runs a command with /bin/sh in the folder of the workspace, and waits for its end. ${
      isSandboxed ? 'There is no network. ' : ''
    }What it leaves in the background is ended too. Answers the exit code and the two ends of the output.`,
    input: v.object({
      command: v.pipe(v.string(), v.nonEmpty(), v.maxLength(COMMAND_CHARS_MAX)),
      timeout_ms: v.optional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(SHELL_MS_MAX),
          v.description(`Default and at most: ${ownMs}`),
        ),
      ),
    }),
    effect: leavesNothing ? 'pure' : 'unsafe',
    approve,
    // The command times out first, so that the model sees its output.
    timeoutMs: ownMs + 2 * SHELL_END_MS,
    run: async ({ command, timeout_ms: ms = ownMs }, { signal }) => {
      if (command.includes('\0')) throw new WorkspaceError('bad_command', 'The command has a NUL. Leave it out.')
      return runCommand(start, command, Math.min(ms, ownMs), signal)
    },
  })
