// The inbox is built from directory rows alone.

import { present } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import type { Directory, ListReader, OpenApproval, SettledListing } from '@bridle/kernel/ports/directory'
import { givenAnswer, questionFields } from '@bridle/kernel/question-request'
import { isoOrNull } from '@bridle/kernel/views/session-fields'
import type { ApprovalPage, ApprovalsByStatus, PendingApproval, SettledApproval } from '@bridle/wire/http/wire'
import { settledStatus } from '../denials/kernel-denials.ts'

/** The default of the stores. */
const LIST_PAGE = 50

interface InboxPage {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

type Inbox = {
  readonly [S in keyof ApprovalsByStatus]: (page: InboxPage) => Promise<ApprovalPage<ApprovalsByStatus[S]>>
}

/** Prefix of `all` cursors that are past the open approvals. */
const BEHIND_OPEN = 'd'

export const inboxOf = (
  directory: Directory,
  tenant: string,
  viewer: { readonly viewer?: string },
  reader: ListReader,
): Inbox => {
  const filterOf = ({ limit, cursor }: InboxPage) => ({ ...present({ limit, cursor }), ...viewer })
  const pending: Inbox['pending'] = async (page) => {
    const { approvals, next } = await directory.approvals(tenant, filterOf(page), reader)
    return { approvals: approvals.map(pendingApproval), ...(next !== undefined && { next }) }
  }
  const decided: Inbox['decided'] = async (page) => {
    const { approvals, next } = await directory.settled(tenant, filterOf(page), reader)
    return { approvals: approvals.map(settledApproval), ...(next !== undefined && { next }) }
  }
  /** Fills pages across the boundary between open and settled approvals, unless the store stops reading early. */
  const all: Inbox['all'] = async ({ limit = LIST_PAGE, cursor }) => {
    const isBehind = cursor?.startsWith(BEHIND_OPEN) ?? false
    const open = isBehind ? { approvals: [] } : await pending({ limit, cursor })
    if ('next' in open && open.next !== undefined) return open
    const room = limit - open.approvals.length
    if (room <= 0) {
      const first = await decided({ limit: 1 })
      const hasMore = first.approvals.length > 0 || first.next !== undefined
      return { approvals: open.approvals, ...(hasMore && { next: BEHIND_OPEN }) }
    }
    const behind = isBehind ? cursor?.slice(BEHIND_OPEN.length) || undefined : undefined
    const { approvals, next } = await decided({ limit: room, cursor: behind })
    return {
      approvals: [...open.approvals, ...approvals],
      ...(next !== undefined && { next: `${BEHIND_OPEN}${next}` }),
    }
  }
  return { pending, decided, all }
}

export const pendingApproval = (listing: { readonly key: Key; readonly approval: OpenApproval }): PendingApproval => ({
  ...listed(listing),
  status: 'pending',
})

const settledApproval = (listing: { readonly key: Key; readonly approval: SettledListing }): SettledApproval => {
  const { decision, decidedAt, decidedBy, decidedByClaimed, decisionReason, isEdited, imported } = listing.approval
  return {
    ...listed(listing),
    status: settledStatus(decision),
    decidedAt: new Date(decidedAt).toISOString(),
    decidedBy,
    ...(decidedByClaimed && { decidedByClaimed }),
    decisionReason,
    ...givenAnswer(listing.approval),
    isEdited,
    ...(imported && { imported }),
  }
}

const listed = ({ key, approval }: { key: Key; approval: OpenApproval }): Omit<PendingApproval, 'status'> => ({
  id: approval.id,
  approvalId: approval.id,
  sessionId: key.id,
  agent: key.agent,
  ...present({ parentSessionId: approval.parentSessionId }),
  title: approval.title ?? null,
  kind: approval.kind ?? null,
  toolName: approval.tool,
  toolCallId: approval.toolCallId ?? null,
  args: approval.arguments ?? null,
  reason: approval.reason,
  // Rows of earlier versions hold no arguments; the session does.
  isCut: approval.isCut ?? true,
  requestedAt: new Date(approval.requestedAt).toISOString(),
  expiresAt: isoOrNull(approval.expiresAt),
  effect: approval.effect ?? null,
  risk: approval.risk ?? null,
  ...questionFields(approval),
})
