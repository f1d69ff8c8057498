// The pages of the cockpit. A page's code loads when somebody opens it: the list must not wait for the chat.
import { lazy, Suspense } from 'react'
import { Route, Router, Switch } from 'wouter'
import { basePath } from './server/address.ts'
import { ServerProvider } from './server/server-context.tsx'
import { Gate } from './shell/gate.tsx'
import { IMPORT_PATH, REPLAY_PATH } from './shell/pages.ts'
import { pathPart } from './shell/paths.ts'
import { Shell } from './shell/shell.tsx'
import { UnknownPage } from './shell/unknown-page.tsx'
import { Skeleton } from './ui/skeleton.tsx'

const SessionsPage = lazy(() => import('./sessions/sessions-page.tsx'))
const SessionPage = lazy(() => import('./session/session-page.tsx'))
const InboxPage = lazy(() => import('./inbox/inbox-page.tsx'))
const FleetPage = lazy(() => import('./fleet/fleet-page.tsx'))
const AgentsPage = lazy(() => import('./agents/agents-page.tsx'))
const RoutesPage = lazy(() => import('./routes/routes-page.tsx'))
const ImportPage = lazy(() => import('./import/import-page.tsx'))
const ReplayPage = lazy(() => import('./replay/replay-page.tsx'))

export const App = () => (
  <Router base={basePath.replace(/\/$/, '')}>
    <ServerProvider>
      <Gate>
        <Shell>
          <Suspense fallback={<Skeleton />}>
            <Switch>
              <Route path="/" component={SessionsPage} />
              <Route path="/inbox" component={InboxPage} />
              <Route path="/s/:id">{({ id }) => <SessionPage key={id} id={pathPart(id)} />}</Route>
              <Route path="/fleet" component={FleetPage} />
              <Route path="/try/:agent?">
                {({ agent }) => <AgentsPage agent={agent === undefined ? null : pathPart(agent)} />}
              </Route>
              <Route path="/routes" component={RoutesPage} />
              <Route path={IMPORT_PATH} component={ImportPage} />
              <Route path={REPLAY_PATH} component={ReplayPage} />
              <Route component={UnknownPage} />
            </Switch>
          </Suspense>
        </Shell>
      </Gate>
    </ServerProvider>
  </Router>
)
