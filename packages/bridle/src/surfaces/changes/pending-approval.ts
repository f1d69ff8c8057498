// An approval as the inbox has it, made of the session's row in the directory alone: no log is read.
import type { Key } from '../../kernel/event.ts'
import type { OpenApproval } from '../../kernel/ports/directory.ts'
import type { PendingApproval } from '../http/wire.ts'

export const pendingApproval = (key: Key, approval: OpenApproval): PendingApproval =>
  ({
    id: approval.id,
    approvalId: approval.id,
    sessionId: key.id,
    agent: key.agent,
    title: approval.title ?? null,
    status: 'pending',
    kind: approval.kind ?? null,
    toolName: approval.tool,
    toolCallId: approval.toolCallId ?? null,
    args: approval.arguments ?? null,
    reason: approval.reason,
    // Rows of earlier versions hold no arguments: the session has more.
    isCut: approval.isCut ?? true,
    requestedAt: new Date(approval.requestedAt).toISOString(),
    expiresAt: approval.expiresAt === null ? null : new Date(approval.expiresAt).toISOString(),
    effect: null,
    risk: null,
  }) as PendingApproval
