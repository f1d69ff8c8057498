// `bridle approve` and `bridle reject`: the word that a run waits for.
import { FabricError } from '../../client/index.ts'
import { asking, type Call, EXIT, type Flags, Stop, showing, verb } from '../command.ts'
import { clientOf } from '../config/settings.ts'
import { parseObject } from '../runs/run-input.ts'

const takes = ['<session>', '<approvalId>'] as const
const options = {
  reason: { type: 'string', value: 'TEXT', help: 'why; the agent gets to read it' },
  actor: { type: 'string', value: 'NAME', help: 'who says so' },
  agent: { type: 'string', value: 'NAME', help: 'whose session, where several agents have this id' },
  ...asking,
  ...showing,
} as const

export const approve = verb({
  summary: 'let a call go ahead',
  takes,
  options: {
    args: { type: 'string', value: 'JSON', help: 'other arguments than those asked for, an object' },
    ...options,
  },
  act: (call) => settle('approve', call),
})

export const reject = verb({
  summary: 'refuse a call',
  takes,
  options,
  act: (call) => settle('reject', call),
})

const settle = async (
  word: 'approve' | 'reject',
  { args, flags, env, out }: Call<Flags<typeof options> & { readonly args?: string }>,
): Promise<number> => {
  const [session = '', approvalId = ''] = args
  const { reason, actor, agent } = flags
  const edited = flags.args === undefined ? undefined : parseObject('--args', flags.args)
  const verdict = {
    ...(edited !== undefined && { args: edited }),
    ...(reason !== undefined && { reason }),
    ...(actor !== undefined && { actor }),
    ...(agent !== undefined && { agent }),
  }
  const fabric = await clientOf(flags, env)
  const answer = await fabric[word](session, approvalId, verdict).catch((error: unknown) => {
    if (!(error instanceof FabricError) || error.status !== 404) throw error
    throw new Stop(EXIT.failed, `There is no approval ${approvalId} in a session ${session}.`)
  })
  if (out.isJson) out.row({ sessionId: session, approvalId, ...answer })
  else out.line(`${word === 'approve' ? 'Approved' : 'Rejected'} ${approvalId} of ${session}.`)
  return EXIT.ok
}
