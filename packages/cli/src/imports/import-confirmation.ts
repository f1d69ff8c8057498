// Before branching or rerunning an imported session, shows its prompts and mode for confirmation on the terminal or by
// digest. The command determines folder and mode, never the file.
import type { SessionDetail } from '@bridle/client/index'
import { isJsonObject, type Json, omit } from '@bridle/events/json'
import { type CliCommand, failure } from '../command/command.ts'
import { type FolderChoice, readWorkspace, type WorkspaceFlags, workspaceOptions } from '../runs/workspace-option.ts'
import type { CliOutput } from '../terminal/output.ts'
import { confirm } from '../terminal/question.ts'
import { escapeInvisible, wrapText } from '../terminal/text-lines.ts'

export const continuationOptions = {
  ...workspaceOptions,
  confirm: { type: 'string', value: 'DIGEST', help: 'the digest of the prompts of an imported session, once read' },
} as const satisfies CliCommand['options']

interface Caller {
  readonly flags: WorkspaceFlags & { readonly confirm?: string; readonly mode?: string }
  readonly env: NodeJS.ProcessEnv
  readonly out: CliOutput
}

export const confirmedContinuation = async (detail: SessionDetail, { flags, env, out }: Caller) => {
  const folder = readWorkspace(flags, env)
  const { prompts_digest } = detail
  if (prompts_digest === undefined) return folder ? { workspace: folder } : {}
  const confirmed = { workspace: folder ?? ({ mode: 'none' } as const) }
  if (flags.confirm !== undefined) return { ...confirmed, prompts_digest: flags.confirm }
  const print = out.canAsk ? out.line : out.note
  for (const line of claimLines(detail, { folder, mode: flags.mode, columns: out.width })) print(line)
  if (!out.canAsk)
    throw failure(
      `${detail.id} was imported from a file. Read its prompts, and repeat the command with --confirm ${prompts_digest}`,
    )
  await confirm(out, 'Start a session with them?', 'Nothing was started.')
  return { ...confirmed, prompts_digest }
}

/** Prefixes every line, so that prompts cannot imitate output of this program. */
const claimLines = (
  { id, agent, permission_mode, imported_prompts: prompts = [] }: SessionDetail,
  {
    folder,
    mode,
    columns,
  }: { readonly folder: FolderChoice | null; readonly mode: string | undefined; readonly columns: number },
): readonly string[] => {
  const many = prompts.length === 1 ? '1 prompt' : `${prompts.length} prompts`
  return [
    `${id} was imported from a file, which has ${many}:`,
    ...prompts.flatMap(({ message_id, text, input }, at) => [
      `${at + 1} of ${prompts.length}, ${message_id}, ${text.length} characters`,
      ...[text, ...sentWith(input)].flatMap((part) => markedLines(part, columns)),
    ]),
    `Mode: ${mode ?? permission_mode}. Approvals: as the agent ${agent} asks for them.`,
    `Folder: ${folder ? `${folder.source}, ${folder.mode === 'in_place' ? 'in place' : 'on a branch or in a copy'}` : 'none. Name one with --workspace'}.`,
  ]
}

const markedLines = (text: string, columns: number): readonly string[] =>
  text
    .split('\n')
    .flatMap((line) => wrapText(escapeInvisible(line), columns - MARK.length))
    .map((line) => `${MARK}${line}`.trimEnd())

const MARK = '  | '

const sentWith = (input: Json | undefined): readonly string[] => {
  const rest = isJsonObject(input) ? omit(input, 'prompt') : (input ?? {})
  return isJsonObject(rest) && Object.keys(rest).length === 0 ? [] : [`Sent with it: ${JSON.stringify(rest)}`]
}

export const ignoredText = (names: readonly string[] = []): string | null => {
  if (names.length === 0) return null
  const [count, were] = names.length === 1 ? ['1 setting', 'was'] : [`${names.length} settings`, 'were']
  return `${count} of the file ${were} ignored: ${names.map(escapeInvisible).join(', ')}`
}
