import { FabricError } from '@bridle/client/http/error'
import type { FabricClient, SessionDetail, SessionTree, WorkspaceReport } from '@bridle/client/index'
import { costText, exactCountText } from '@bridle/words/index'
import { wholeApproval } from '../approvals/child-approval.ts'
import { defineCommand, sessionOptions } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'
import { findSession } from '../session-ids/session-prefix.ts'
import { answerCommand, childCommand } from '../terminal/answer-command.ts'
import { cutApproval, requestOf } from '../terminal/answer-fields.ts'
import { visibleArguments } from '../terminal/approval-text.ts'
import { type Field, printFields } from '../terminal/fields.ts'
import { healthTexts } from '../terminal/health-text.ts'
import type { CliOutput } from '../terminal/output.ts'
import { requestSummary } from '../terminal/question-text.ts'
import { timeAgo } from '../terminal/table.ts'

/** Steps, branches and approvals shown. Other verbs list them all. */
const INSPECT_ROWS_MAX = 5

export const inspect = defineCommand({
  options: sessionOptions,
  notes: 'In JSON it is one line: the answer of GET /sessions/:id with its workspace and branches.',
  run: async ({ args: [session = ''], flags, env, out }) => {
    const fabric = await createClient(flags, env)
    const detail = await findSession(fabric, session, flags.agent)
    const around = await aroundSession(fabric, detail)
    if (out.isJson) out.row({ ...detail, ...around })
    else {
      const words = await sessionFlags(fabric, { id: detail.id, agent: flags.agent }, repeatedFlags(flags))
      const approvals = await Promise.all(detail.approvals.map((each) => wholeApproval(fabric, each)))
      printSession(out, { ...detail, approvals }, around, words)
    }
  },
})

interface SessionSurroundings {
  readonly workspace: WorkspaceReport | null
  readonly branches: SessionTree['sessions']
}

/** Not every target has workspaces or trees, so failures are ignored. */
const aroundSession = async (
  fabric: FabricClient,
  { id, agent }: Pick<SessionDetail, 'id' | 'agent'>,
): Promise<SessionSurroundings> => {
  const [workspace, tree] = await Promise.all([
    fabric.workspace(id, agent).catch(withoutRoute),
    fabric.sessionTree(id, agent).catch(withoutRoute),
  ])
  return { workspace, branches: (tree?.sessions ?? []).filter(({ parent }) => parent?.id === id) }
}

const withoutRoute = (error: unknown): null => {
  if (error instanceof FabricError && (error.status === 404 || error.status === 501)) return null
  throw error
}

const printSession = (
  out: CliOutput,
  detail: SessionDetail,
  { workspace, branches }: SessionSurroundings,
  nextFlags: string,
): void => {
  const { id, title, kind, usage } = detail
  const now = Date.now()
  const fields: Field[] = [
    ['Session', [id]],
    ['Title', title === '' ? [] : [title]],
    ['Agent', [agentText(detail)]],
    ['Status', [statusText(detail)]],
    ['Changed', [`${timeAgo(detail.updatedAt, now)}, begun ${timeAgo(detail.createdAt, now)}, ${detail.lastEventId}`]],
    ['Kind', kind === 'background' ? [kind] : []],
    ['Imported', detail.prompts_digest === undefined ? [] : [IMPORTED]],
    ['Error', detail.lastError === null ? [] : [detail.lastError]],
    ['Turns', [turnsText(detail)]],
    ['Usage', [usageText(usage)]],
    ['Health', healthTexts(detail.health)],
    ['Approvals', detail.approvals.slice(0, INSPECT_ROWS_MAX).map(approvalText)],
    [
      'Steps',
      detail.steps.slice(-INSPECT_ROWS_MAX).map(({ status: is, title: name, step }) => `${is}: ${name || step}`),
    ],
    ['Workspace', workspaceTexts(workspace)],
    ['Parent', detail.parent_session_id === null ? [] : [parentText(detail)]],
    [
      'Branches',
      branches
        .slice(-INSPECT_ROWS_MAX)
        .map((each) => `${each.id} from ev-${each.parent?.seq} ${each.title ?? ''}`.trim()),
    ],
    [
      'Artifacts',
      detail.artifacts
        .slice(0, INSPECT_ROWS_MAX)
        .map(({ id: artifact, name, size }) => `${artifact} ${name} (${size} bytes)`),
    ],
  ]
  printFields(out, fields)
  out.note(['', ...nextLines(detail, nextFlags)].join('\n'))
}

const IMPORTED = 'from a file; its earlier prompts, answers and approvals are not verified'

/** Omits the engine `native`, which only means the agent's own code. */
const agentText = ({ agent, engine, model }: SessionDetail): string =>
  [
    agent,
    ...(engine === agent || engine === 'native' ? [] : [`on ${engine}`]),
    ...(model ? [`model ${model}`] : []),
  ].join(', ')

const statusText = ({ status, runId, queued, retry_at: retryAt, archived }: SessionDetail): string =>
  [
    status,
    ...(runId === null ? [] : [`run ${runId}`]),
    ...(queued === 0 ? [] : [`${queued} queued`]),
    ...(retryAt === null ? [] : [`tries again at ${retryAt}`]),
    ...(archived ? ['archived'] : []),
  ].join(', ')

const turnsText = ({ messages, earlierMessages = 0 }: SessionDetail): string => {
  const prompts = messages.filter(({ role }) => role === 'user').length
  // Only the newest messages were loaded, so the count is a minimum.
  return earlierMessages > 0
    ? `more than ${prompts}, ${earlierMessages + messages.length} messages`
    : `${prompts}, ${messages.length} messages`
}

const usageText = ({
  input_tokens,
  output_tokens,
  total_tokens,
  cost_usd,
  context_usage_pct,
}: SessionDetail['usage']) =>
  [
    `${exactCountText(total_tokens)} tokens (${exactCountText(input_tokens)} in, ${exactCountText(output_tokens)} out)`,
    cost_usd === null ? 'cost not known' : costText(cost_usd),
    ...(context_usage_pct === null ? [] : [`${Math.round(context_usage_pct)} % of the window`]),
  ].join(', ')

const approvalText = (approval: SessionDetail['approvals'][number]): string => {
  const { id, toolName, args, reason } = approval
  const request = requestOf(approval)
  if (request !== null) return `${id} question ${requestSummary(request)}`
  const cut = cutApproval(approval)
  if (cut?.isQuestion) return `${id} question of ${cut.agent}, session ${cut.id}`
  if (cut !== null) return `${id} ${toolName} of ${cut.agent}, session ${cut.id}: too long to show here`
  return [id, toolName, visibleArguments(args), reason === '' ? '' : `(${reason})`].filter(Boolean).join(' ')
}

const parentText = ({ parent_session_id: parent, branch_source_event_id: event }: SessionDetail): string =>
  event === null ? `${parent}` : `${parent} at ${event}`

const workspaceTexts = (workspace: WorkspaceReport | null): string[] => {
  if (workspace === null || workspace.workspace_id === null) return []
  const { workspace_id: id, mode, kind, source, is_compared: isCompared, changes, truncated, reason } = workspace
  const changed = isCompared ? `${changes.length}${truncated ? ' or more' : ''} files changed` : (reason ?? '')
  return [
    [`${id} (${mode}${kind === null ? '' : `, ${kind}`})`, ...(source === null ? [] : [`of ${source}`]), changed]
      .filter(Boolean)
      .join(', '),
  ]
}

/** The most likely next commands. One per line, because ids are long. */
const nextLines = (detail: SessionDetail, nextFlags: string): readonly string[] => {
  const { id, approvals } = detail
  const [approval] = approvals
  const request = approval ? requestOf(approval) : null
  const lines = nextCommands(detail).map((line) => `${commandName()} ${line}${nextFlags}`)
  const cut = approval ? cutApproval(approval) : null
  const [, reject = ''] = lines
  const place = { command: commandName(), id, approvalId: approval?.id ?? '', nextFlags }
  if (request !== null) return [answerCommand(place, request), reject]
  return cut === null ? lines : [childCommand(place, cut), reject]
}

const nextCommands = ({ id, approvals: [approval], status, resume_context: point }: SessionDetail): string[] => {
  if (approval) return [`approve ${id} ${approval.id}`, `reject ${id} ${approval.id}`]
  if (status === 'paused') return [`resume ${id}`]
  if (status === 'running') return [`attach ${id}`, `cancel ${id}`]
  return [`logs ${id}`, ...(point === null ? [] : [`branch ${id} --from ${point.event_id}`])]
}
