// The first screen of a server on which nothing has run: the tour, and the agents that are there.
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { serverUrl } from '../server/address.ts'
import { useServer } from '../server/server-context.tsx'
import { sessionPath } from '../shell/paths.ts'
import { Button } from '../ui/button.tsx'
import { showError } from '../ui/toast.tsx'
import { AgentCards } from './agent-cards.tsx'
import { helloCommand } from './hello-command.ts'
import { startTour } from './start-tour.ts'
import { StopList } from './stop-list.tsx'
import './tour.css'

export const FirstRun = ({ onNew }: { readonly onNew: () => void }) => {
  const { client, options } = useServer()
  const [, navigate] = useLocation()
  const [isStarting, setStarting] = useState(false)
  const start = async (): Promise<void> => {
    setStarting(true)
    try {
      navigate(sessionPath({ id: await startTour(client), agent: 'scripted' }))
    } catch (error) {
      showError(error)
      setStarting(false)
    }
  }
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.querySelector('button')?.focus(), [])
  return (
    <div className="center">
      <div className="first-run">
        <header>
          <h2>Nothing has run here yet</h2>
          <p className="lead">
            Bridle keeps each session as a log that survives crashes, so you can watch it live, answer for it, go back
            in it and branch from any point.
          </p>
        </header>
        <section className="card tour-card" aria-label="Tour">
          <div className="row wrap">
            <span className="col grow">
              <span className="medium">See it work in one minute</span>
              <span className="small t3">
                A scripted session on this server. No key, no cost, removed when you say so.
              </span>
            </span>
            <div ref={place}>
              <Button look="primary" icon="play" isLarge isBusy={isStarting} onClick={() => void start()}>
                Start the tour
              </Button>
            </div>
          </div>
          <StopList passed={nothing} />
        </section>
        <AgentCards />
        <footer className="row wrap small t3">
          <Button look="ghost" onClick={onNew}>
            New session
          </Button>
          <span>
            or in a terminal <code>{helloCommand({ serverUrl, tenantId: options.tenantId })}</code> (in a checkout of
            Bridle, <code>npm run -s bridle --</code> instead of <code>npx bridle</code>)
          </span>
        </footer>
      </div>
    </div>
  )
}

const nothing: ReadonlySet<never> = new Set()
