import type { Group } from './entry.ts'

export const dashboard: Group = {
  title: 'Dashboard',
  about: 'The first two are thrown where it is started. The others are answers: `{ "error": { "code", "message" } }`.',
  entries: {
    DASHBOARD_NOT_LISTENING: [
      'The port cannot be opened.',
      'It is in use, or the address is not of this machine.',
      'Give another port, or 0 for any that is free.',
    ],
    DASHBOARD_UNPROTECTED: [
      'A dashboard that other machines can reach needs a token.',
      '`host` is not of this machine alone, and there is no `token`.',
      'Give `dashboard: { token }`, or leave `host` out.',
    ],
    DASHBOARD_CLOSED: [
      'The consumer of this dashboard has ended.',
      'The page is shown by a web server of yours that outlived the consumer.',
      'Start the consumer again; its own log says why it ended.',
    ],
    HOST_REFUSED: [
      'The request names a host that is not ours.',
      'A proxy in front, or a page elsewhere that points its name at this machine.',
      'Add the name to `allowedHosts`, if it is yours.',
    ],
    TOKEN_NEEDED: [
      'This dashboard shows itself only with its token.',
      'It was opened without.',
      'Open `/?token=…` once; a cookie keeps it.',
    ],
    TOKEN_WRONG: [
      'The token is not ours.',
      'The process was started again: a token that is not chosen is new each time.',
      'Take the link that the process printed, or set `dashboard.token`.',
    ],
    ORIGIN_REFUSED: [
      'An action came from another page than the dashboard.',
      'A script or a page elsewhere.',
      'Use the page itself, or `consumer` methods from code.',
    ],
    ACTIONS_OFF: [
      'This browser may look and not act.',
      '`allowActions` is off, or the page was opened without the token.',
      'Start it with `allowActions: true` and open the link with the token.',
    ],
    ACTION_INVALID: [
      'The body is no action.',
      'A field is missing, or has a value that it cannot have.',
      'The message shows one.',
    ],
    ACTION_REFUSED: [
      'The action cannot be taken here.',
      'No instance of the group holds the partition now, or the group is only watched.',
      'Open the dashboard of one of its processes, or try again after the rebalance.',
    ],
    BODY_INVALID: [
      'The body of a request is no JSON, or too large.',
      'A wrong `content-type`, or a script that sends something else.',
      'Send `application/json`, at most 128 KiB.',
    ],
    METHOD_NOT_ALLOWED: [
      'This address does not take that method.',
      'Everything is read with GET; actions are sent with POST.',
      'Change the method.',
    ],
    NOT_FOUND: [
      'There is nothing at this address, no such group, or no such letter any more.',
      'A typing mistake, or retention was faster.',
      'Begin at `/`.',
    ],
    QUERY_INVALID: [
      'A parameter in the address has a value that it cannot have.',
      'A link that was written by hand.',
      'The message says what it takes.',
    ],
    TOO_MANY_PAGES: [
      'Too many pages of this dashboard are open.',
      'Each one keeps a stream; 32 are allowed.',
      'Close some.',
    ],
    PEER_REFUSED: [
      'Another dashboard of the group did not answer as one.',
      '`peers` names an address of something else.',
      'Correct `dashboard.peers`.',
    ],
    INTERNAL: [
      'The dashboard could not answer.',
      'A defect of fanlane; its process has logged why.',
      'Report it with that line of the log.',
    ],
  },
}
