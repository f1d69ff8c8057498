// Routes that list, show and cancel sessions are shared by all wires (http/sessions).
import { STREAM_EVENT_TYPES } from '@bridle/events/catalogue'
import type { StreamEventList } from '@bridle/wire/frontend/wire'
import { json } from '../http/answers/answer-schema.ts'
import { get, type Route } from '../http/router/route.ts'
import { streamEventListAnswer } from './answers.ts'
import { backgroundRoutes } from './background.ts'
import { chatRoutes } from './chat.ts'
import { streamEvents } from './codec.ts'
import { replayRoutes } from './replay.ts'

export const frontendRoutes: readonly Route[] = [
  get('/stream-events', {
    scope: 'observe',
    summary: 'Every event that a frontend may meet on a stream',
    call: 'streamEvents',
    answers: { 200: streamEventListAnswer },
    handle: () => json<StreamEventList>({ types: STREAM_EVENT_TYPES, events: streamEvents }),
  }),
  ...chatRoutes,
  ...backgroundRoutes,
  ...replayRoutes,
]
