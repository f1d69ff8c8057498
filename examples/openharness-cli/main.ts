// npm run example:shell [-- http://127.0.0.1:4317/v1/openharness [session]]
import { runCli } from './cli.ts'

const [url = 'http://127.0.0.1:4317/v1/openharness', sessionId] = process.argv.slice(2)
const { BRIDLE_AUTH_TOKEN: token } = process.env
if (!URL.canParse(url)) {
  console.error('The first argument is no address: give one such as http://127.0.0.1:4317/v1/openharness.')
  process.exit(1)
}
process.exitCode = await runCli({
  url,
  ...(token && { token }),
  ...(sessionId && { sessionId }),
  input: process.stdin,
  output: process.stdout,
})
