// Why a socket did not open, in words for whoever waits for it.
import { errorFromResponse, FabricError } from '../fabric/error.ts'
import { fetchEndpoint, type SocketCredentials } from './endpoint.ts'

export const explainFailure = async (given: SocketCredentials): Promise<FabricError> => {
  const { host } = new URL(given.url)
  try {
    const response = await fetchEndpoint(given)
    if (response.status !== 426) return await errorFromResponse(response)
    await response.body?.cancel()
    // The server would have let us in: it was not asked for a WebSocket.
    return new FabricError(426, 'no_upgrade', `${host} answers, but opens no WebSocket. ${PROXY_ADVICE}`)
  } catch (cause) {
    return new FabricError(0, 'network', `${host} could not be reached.`, { cause })
  }
}

const PROXY_ADVICE = 'A proxy in between has to pass on the Upgrade and Connection headers.'
