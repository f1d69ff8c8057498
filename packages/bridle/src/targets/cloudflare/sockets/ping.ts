// The ping of our clients. The platform answers it without waking the object.
import { autoResponse, type ObjectContext } from '../platform.ts'

const PING = '{"type":"ping"}'
const PONG = '{"type":"pong","ts":0}'

export const answerPings = (ctx: ObjectContext): void => ctx.setWebSocketAutoResponse(autoResponse(PING, PONG))
