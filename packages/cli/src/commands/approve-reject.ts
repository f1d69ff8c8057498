import type { FabricJsonObject } from '@bridle/client/fabric/request-options'
import { FabricError } from '@bridle/client/http/error'
import type { FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { type ApprovalChoice, askApproval } from '../approvals/approval-question.ts'
import type { ArgumentDraft } from '../approvals/argument-draft.ts'
import { cutError, noApproval, openApproval, questionError } from '../approvals/missing-approval.ts'
import {
  type CliFlags,
  type CliInvocation,
  defineCommand,
  EXIT_CODES,
  ExitError,
  sessionOptions,
  usageError,
} from '../command/command.ts'
import { createClient } from '../config/settings.ts'
import { refusalText } from '../errors/refusal-text.ts'
import { parseJsonObject } from '../runs/run-input.ts'
import { isNotFound, withSession } from '../session-ids/session-prefix.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'

const options = {
  reason: { type: 'string', value: 'TEXT', help: 'the reason; the agent reads it' },
  actor: { type: 'string', value: 'NAME', help: 'the person who decides' },
  ...sessionOptions,
} as const

export const approve = defineCommand({
  options: {
    args: { type: 'string', value: 'JSON', help: 'other arguments than those asked for, an object' },
    edit: { type: 'boolean', short: 'e', help: 'edit the arguments, see what changed, and then decide' },
    ...options,
  },
  notes: `--edit opens $VISUAL or $EDITOR, else a line of the terminal. The answer n leaves the approval open. A question gets its default; for
other answers use bridle answer.`,
  run: async (call) => {
    const { args: given, edit } = call.flags
    if (given !== undefined && edit) throw usageError('--args and --edit both change the arguments; take one of them.')
    if (edit && !call.out.canAsk) throw usageError('--edit needs a terminal; elsewhere use --args JSON.')
    const args = given === undefined ? undefined : (parseJsonObject('--args', given) as FabricJsonObject)
    return decideApproval('approve', call, edit ? editedArguments(call) : async () => ({ args, draft: null }))
  },
})

export const reject = defineCommand({
  options,
  run: (call) => decideApproval('reject', call, async () => ({ args: undefined, draft: null })),
})

type DecisionCall = CliInvocation<CliFlags<typeof options>>
type ArgumentSource = (fabric: FabricClient, session: string, refused: ArgumentDraft | null) => Promise<ApprovedEdit>

interface ApprovedEdit {
  readonly args: FabricJsonObject | undefined
  /** The draft to correct if the server refuses it. Null without a terminal. */
  readonly draft: ArgumentDraft | null
}

const decideApproval = async (
  verb: 'approve' | 'reject',
  { args: [session = '', approvalId = ''], flags, env, out }: DecisionCall,
  argumentsOf: ArgumentSource,
): Promise<undefined> => {
  const { reason, actor, agent } = flags
  const fabric = await createClient(flags, env)
  /** The error as seen by this command, because questions have their own HTTP route. */
  const asQuestion = async (id: string): Promise<ExitError | null> => {
    const approval = await openApproval(fabric, id, approvalId, flags)
    return approval === null ? null : questionError(id, approval, flags)
  }
  const decide = async (id: string) => {
    for (let refused: ArgumentDraft | null = null; ; ) {
      const { args, draft }: ApprovedEdit = await argumentsOf(fabric, id, refused)
      try {
        return { id, answer: await fabric[verb](id, approvalId, present({ args, reason, actor, agent })) }
      } catch (error) {
        const isRefused = error instanceof FabricError && error.status === 400
        if (!isRefused) throw error
        if (draft === null) throw (await asQuestion(id)) ?? error
        // Refused arguments leave the approval open: edit again.
        out.note(refusalText(error))
        refused = draft
      }
    }
  }
  const { id, answer } = await withSession(fabric, session, agent, decide).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
    throw noApproval(session, approvalId, flags)
  })
  if (out.isJson) out.row({ sessionId: id, ...answer })
  else out.line(`${verb === 'approve' ? 'Approved' : 'Rejected'} ${approvalId} of ${id}.`)
}

const editedArguments =
  ({ args: [, approvalId = ''], flags, env, out }: DecisionCall): ArgumentSource =>
  async (fabric, id, refused) => {
    const approval = await openApproval(fabric, id, approvalId, flags)
    if (approval === null) throw noApproval(id, approvalId, flags)
    const unfit = questionError(id, approval, flags) ?? cutError(approval, flags)
    if (unfit !== null) throw unfit
    const request = { subject: approval.toolName, args: approval.args, reason: approval.reason }
    const { signal, dispose } = listenForInterrupt()
    const choice: ApprovalChoice | null = await askApproval(out, request, env, signal, {
      isEdit: refused === null,
      refused,
    })
    dispose()
    if (choice === null) out.write('\n')
    if (choice?.decision !== 'approved')
      throw new ExitError(EXIT_CODES.cancelled, `Nothing was sent; the approval ${approvalId} stays open.`)
    return { args: choice.args, draft: choice.draft }
  }
