// `bridle approve` and `bridle reject` answer an approval.

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

const argumentNames = ['<session>', '<approvalId>'] as const
const options = {
  reason: { type: 'string', value: 'TEXT', help: 'the reason; the agent reads it' },
  actor: { type: 'string', value: 'NAME', help: 'the person who decides' },
  agent: { type: 'string', value: 'NAME', help: 'the agent, if several have a session of this id' },
  ...clientOptions,
  ...outputOptions,
} as const

export const approve = defineCommand({
  summary: 'let a call go ahead',
  argumentNames,
  options: {
    args: { type: 'string', value: 'JSON', help: 'other arguments than those asked for, an object' },
    ...options,
  },
  run: (call) => decideApproval('approve', call),
})

export const reject = defineCommand({
  summary: 'refuse a call',
  argumentNames,
  options,
  run: (call) => decideApproval('reject', call),
})

const decideApproval = async (
  verb: 'approve' | 'reject',
  { args, flags, env, out }: CliInvocation<CliFlags<typeof options> & { readonly args?: string }>,
): Promise<number> => {
  const [session = '', approvalId = ''] = args
  const { reason, actor, agent } = flags
  const edited = flags.args === undefined ? undefined : parseJsonObject('--args', flags.args)
  const decision = present({ args: edited, reason, actor, agent })
  const fabric = await createClient(flags, env)
  const answer = await fabric[verb](session, approvalId, decision).catch((error: unknown) => {
    if (!(error instanceof FabricError) || error.status !== 404) throw error
    throw new ExitError(EXIT_CODES.failed, `There is no approval ${approvalId} in a session ${session}.`)
  })
  if (out.isJson) out.row({ sessionId: session, ...answer })
  else out.line(`${verb === 'approve' ? 'Approved' : 'Rejected'} ${approvalId} of ${session}.`)
  return EXIT_CODES.ok
}
