/** Everything that can be asked of the simulated cluster, and what it answers. */
import type {
  FindCoordinatorRequest,
  FindCoordinatorResponse,
  HeartbeatRequest,
  HeartbeatResponse,
  JoinGroupRequest,
  JoinGroupResponse,
  LeaveGroupRequest,
  LeaveGroupResponse,
  OffsetCommitRequest,
  OffsetCommitResponse,
  OffsetFetchRequest,
  OffsetFetchResponse,
  SyncGroupRequest,
  SyncGroupResponse,
} from './group-messages.ts'
import type {
  FetchRequest,
  FetchResponse,
  ListOffsetsRequest,
  ListOffsetsResponse,
  MetadataRequest,
  MetadataResponse,
  OffsetForLeaderEpochRequest,
  OffsetForLeaderEpochResponse,
  ProduceRequest,
  ProduceResponse,
} from './log-messages.ts'
import type {
  AddOffsetsToTxnRequest,
  AddOffsetsToTxnResponse,
  AddPartitionsToTxnRequest,
  AddPartitionsToTxnResponse,
  EndTxnRequest,
  EndTxnResponse,
  InitProducerIdRequest,
  InitProducerIdResponse,
  TxnOffsetCommitRequest,
  TxnOffsetCommitResponse,
} from './txn-messages.ts'

export type Request =
  | FindCoordinatorRequest
  | MetadataRequest
  | JoinGroupRequest
  | SyncGroupRequest
  | HeartbeatRequest
  | LeaveGroupRequest
  | OffsetCommitRequest
  | OffsetFetchRequest
  | InitProducerIdRequest
  | AddPartitionsToTxnRequest
  | AddOffsetsToTxnRequest
  | TxnOffsetCommitRequest
  | EndTxnRequest
  | ProduceRequest
  | FetchRequest
  | ListOffsetsRequest
  | OffsetForLeaderEpochRequest

export type Response =
  | FindCoordinatorResponse
  | MetadataResponse
  | JoinGroupResponse
  | SyncGroupResponse
  | HeartbeatResponse
  | LeaveGroupResponse
  | OffsetCommitResponse
  | OffsetFetchResponse
  | InitProducerIdResponse
  | AddPartitionsToTxnResponse
  | AddOffsetsToTxnResponse
  | TxnOffsetCommitResponse
  | EndTxnResponse
  | ProduceResponse
  | FetchResponse
  | ListOffsetsResponse
  | OffsetForLeaderEpochResponse

export type RequestKind = Request['kind']
export type RequestOf<K extends RequestKind> = Extract<Request, { readonly kind: K }>
export type ResponseOf<K extends RequestKind> = Extract<Response, { readonly kind: K }>
