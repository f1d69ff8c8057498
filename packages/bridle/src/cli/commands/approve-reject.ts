// `bridle approve` and `bridle reject`: the word that a run waits for.

import { FabricError } from '../../client/index.ts'
import { present } from '../../kernel/json.ts'
import {
  type CliFlags,
  type CliInvocation,
  clientOptions,
  defineCommand,
  EXIT_CODES,
  ExitError,
  outputOptions,
} from '../command.ts'
import { createClient } from '../config/settings.ts'
import { parseJsonObject } from '../runs/run-input.ts'

const takes = ['<session>', '<approvalId>'] as const
const options = {
  reason: { type: 'string', value: 'TEXT', help: 'why; the agent gets to read it' },
  actor: { type: 'string', value: 'NAME', help: 'who says so' },
  agent: { type: 'string', value: 'NAME', help: 'whose session, where several agents have this id' },
  ...clientOptions,
  ...outputOptions,
} as const

export const approve = defineCommand({
  summary: 'let a call go ahead',
  argumentNames: takes,
  options: {
    args: { type: 'string', value: 'JSON', help: 'other arguments than those asked for, an object' },
    ...options,
  },
  run: (call) => decideApproval('approve', call),
})

export const reject = defineCommand({
  summary: 'refuse a call',
  argumentNames: takes,
  options,
  run: (call) => decideApproval('reject', call),
})

const decideApproval = async (
  word: 'approve' | 'reject',
  { args, flags, env, out }: CliInvocation<CliFlags<typeof options> & { readonly args?: string }>,
): Promise<number> => {
  const [session = '', approvalId = ''] = args
  const { reason, actor, agent } = flags
  const edited = flags.args === undefined ? undefined : parseJsonObject('--args', flags.args)
  const decision = present({ args: edited, reason, actor, agent })
  const fabric = await createClient(flags, env)
  const answer = await fabric[word](session, approvalId, decision).catch((error: unknown) => {
    if (!(error instanceof FabricError) || error.status !== 404) throw error
    throw new ExitError(EXIT_CODES.failed, `There is no approval ${approvalId} in a session ${session}.`)
  })
  if (out.isJson) out.row({ sessionId: session, approvalId, ...answer })
  else out.line(`${word === 'approve' ? 'Approved' : 'Rejected'} ${approvalId} of ${session}.`)
  return EXIT_CODES.ok
}
