import { ownProperty, present } from '@bridle/events/json'
import { type Answer, type Command, isRefusal } from '@bridle/kernel/commands'
import type { Host } from '@bridle/kernel/host/host'
import { mayOpen } from '@bridle/kernel/owner'
import type { Directory } from '@bridle/kernel/ports/directory'
import { isTaskOver } from '@bridle/kernel/projections/indexes/subagents'
import type { IdempotencyKey } from '@bridle/kernel/session/inbox'
import type { Session } from '@bridle/kernel/session/session'
import type { FabricAck, FabricCommand } from '@bridle/wire/fabric/wire'
import type { Scope } from '../http/access/authenticate.ts'
import { scopeRefusal } from '../http/access/command-scope.ts'
import { actorField, viewerOf } from '../http/access/users.ts'
import { faultDenial } from '../http/denials/kernel-denials.ts'
import { commandKey } from '../http/requests/command-id.ts'
import { hasRun } from '../http/sessions/event-lookup.ts'

export interface FabricCommandContext {
  readonly session: Session
  readonly scopes: readonly Scope[]
  readonly user: string | null
  readonly host: TaskHost
  readonly directory?: Pick<Directory, 'find'> | undefined
}

export type TaskHost = Pick<Host, 'send'> & Partial<Pick<Host, 'find' | 'stopTask'>>

export const performFabricCommand = async (
  message: FabricCommand,
  context: FabricCommandContext,
): Promise<FabricAck> => {
  const { session, scopes, user, host } = context
  const forbidden = scopeRefusal(message, scopes)
  if (forbidden !== null) return ack(message, false, forbidden)
  try {
    const command = await commandOf(message, session, user)
    if ('problem' in command) return ack(message, false, command.problem)
    if ('taskId' in command) return await stopTask(message, command, context)
    const outcome = await host.send(session.key, command, idOf(message))
    if (isRefusal(outcome)) return ack(message, false, outcome.message)
    return ack(message, true, ackRemark(outcome))
  } catch (error) {
    return ack(message, false, faultDenial(error).message)
  }
}

const ack = ({ type, commandId }: FabricCommand, ok: boolean, message?: string): FabricAck => ({
  type: 'ack',
  for: type,
  ok,
  ...(message !== undefined && { message }),
  ...(commandId !== undefined && { commandId }),
})

export const refusalAck = (message: FabricCommand, why: string): FabricAck => ack(message, false, why)

const commandOf = async (
  message: FabricCommand,
  session: Session,
  user: string | null,
): Promise<Command | TaskStopRequest | { readonly problem: string }> => {
  if (message.type === 'approve') {
    const { approvalId, decision, reason, args, answers, values, pause, actor } = message
    return {
      type: 'approve',
      approvalId,
      decision,
      ...present({ reason, args, answers, values }),
      ...(pause && { pause }),
      ...actorField({ user }, actor),
    }
  }
  if (message.type === 'signal') {
    const { name, payload = null, actor } = message
    return { type: 'signal', name, payload, ...actorField({ user }, actor) }
  }
  const { taskId } = message
  const reason = { ...(message.reason !== undefined && { reason: message.reason }), ...actorField({ user }) }
  if (taskId === session.key.id) return { type: 'cancel', ...reason }
  if (await isRun(session, taskId)) return { type: 'cancel', runId: taskId, ...reason }
  return { taskId, reason }
}

interface TaskStopRequest {
  readonly taskId: string
  readonly reason: { readonly reason?: string; readonly actor?: string }
}

/** A task is a child session, or work that the engine delegates within its run. */
const stopTask = async (
  message: FabricCommand,
  { taskId, reason }: TaskStopRequest,
  { session, host, directory, user }: FabricCommandContext,
): Promise<FabricAck> => {
  const { tenant, id } = session.key
  const viewer = await viewerOf({ user })
  for (const { key, owner } of (await directory?.find(tenant, taskId)) ?? []) {
    // A caller that may watch this session may still lack access to the child.
    if (!mayOpen(viewer, owner)) continue
    const child = await host.find?.(key)
    if (child?.state.lifecycle.parentSessionId !== id) continue
    const command = { type: 'cancel', ...reason } as const
    const outcome = await host.send(key, command, idOf(message))
    return isRefusal(outcome) ? ack(message, false, outcome.message) : ack(message, true, ackRemark(outcome))
  }
  const task = ownProperty(session.state.subagents, taskId)
  if (!task) return ack(message, false, 'There is no such task or run in this session.')
  if (isTaskOver(task.status)) return ack(message, true, 'The task is over already.')
  if (await host.stopTask?.(session.key, taskId)) return ack(message, true)
  return ack(message, false, 'This engine cannot stop a single task; cancel its run.')
}

const isRun = async (session: Session, runId: string): Promise<boolean> => {
  const { run, queue } = session.state.lifecycle
  return run?.runId === runId || queue.some((prompt) => prompt.runId === runId) || hasRun(session, runId)
}

const idOf = ({ commandId, ...body }: FabricCommand): IdempotencyKey | null => commandKey(commandId, body)

/** A late cancel is acknowledged with a remark. */
const ackRemark = (answer: Answer): string | undefined =>
  'cancelled' in answer && !answer.cancelled ? 'There was nothing left to cancel.' : undefined
