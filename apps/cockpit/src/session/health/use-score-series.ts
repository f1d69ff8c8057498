// The score over time. The stream of health replays what it was; the detail of the session brings what follows, so that the stream is
// closed after its replay: a browser has only six connections for a server.
import { type ChatSession, frontendCursor } from 'bridle/client'
import { useEffect, useRef, useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { usePast } from '../past/past-context.ts'
import { useSession } from '../session-context.tsx'
import type { PlotPoint } from './plot-path.ts'

/** Events before the newest from which the plot of the score is made: more than a plot can show. */
const REPLAY_EVENTS = 5_000
/** A replay comes at once: after this silence it is over. */
const SILENCE_MS = 400

export const useScoreSeries = (): readonly PlotPoint[] => {
  const live = useLiveSeries()
  const { detail, past } = useSession()
  const { log } = usePast()
  if (!past) return live
  const changes = log?.overview.scores.filter(({ seq }) => seq <= past.seq) ?? []
  return [beginningOf(detail), ...changes.map(({ at, score }) => ({ at, value: score }))]
}

const beginningOf = ({ createdAt }: ChatSession): PlotPoint => ({ at: Date.parse(createdAt), value: 100 })

const useLiveSeries = (): readonly PlotPoint[] => {
  const { client } = useServer()
  const { id, agent, detail, events, past } = useSession()
  const [replayed, setReplayed] = useState<readonly PlotPoint[] | null>(null)
  const [live, setLive] = useState<readonly PlotPoint[]>([])
  const { score } = detail.health
  const cursor = useRef('')
  cursor.current = frontendCursor({ ...events, seq: Math.max(0, events.seq - REPLAY_EVENTS) })
  const isReady = events.seq > 0 && past === null
  useEffect(() => {
    if (!isReady) return
    const controller = new AbortController()
    const points: PlotPoint[] = []
    const read = async (): Promise<void> => {
      let timer = setTimeout(() => controller.abort(), SILENCE_MS * 5)
      try {
        for await (const snapshot of client.healthFeed(id, {
          agent,
          after: cursor.current,
          signal: controller.signal,
        })) {
          points.push({ at: Date.parse(snapshot.timestamp), value: snapshot.payload.score })
          clearTimeout(timer)
          timer = setTimeout(() => controller.abort(), SILENCE_MS)
        }
      } catch {
        // The page says elsewhere that the server does not answer; the plot begins with what the detail says.
      }
      clearTimeout(timer)
      setReplayed(points)
    }
    void read()
    return () => controller.abort()
  }, [client, id, agent, isReady])
  useEffect(() => {
    if (past === null) setLive((before) => [...before, { at: Date.now(), value: score }])
  }, [score, past])
  if (!replayed) return []
  const known = [beginningOf(detail), ...replayed]
  const last = known.at(-1)?.at ?? 0
  return [...known, ...live.filter(({ at }) => at > last)]
}
