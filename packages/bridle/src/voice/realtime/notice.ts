// A notice: a sentence that the line speaks beside the conversation. The log says the same with an event of its own.
import type { JsonObject } from '../../kernel/json.ts'
import type { CallApproval } from './approval-watch.ts'
import { objectOf, type RealtimeEvent } from './provider-events.ts'

/** A remark for the model: whatever it is asked meanwhile, it knows that the call has not run. */
export const approvalRemark = ({ tool }: CallApproval): string =>
  `The call of "${tool}" waits for the approval of a person. It has not run yet.`

const NOTICE = 'notice'

/** Asks for a response that stays out of the provider's conversation. */
export const noticeRequest = ({ tool }: CallApproval): JsonObject => ({
  type: 'response.create',
  response: {
    conversation: 'none',
    metadata: { purpose: NOTICE },
    input: [],
    tools: [],
    tool_choice: 'none',
    instructions: `Say in one short sentence, in the language of the conversation, that "${tool}" waits for the approval of a person.`,
  },
})

export const isNotice = ({ response }: RealtimeEvent): boolean =>
  objectOf(objectOf(response).metadata).purpose === NOTICE
