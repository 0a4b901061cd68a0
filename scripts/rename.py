"""Rename identifiers and modules by rules, token-wise. usage: rename.py REPO"""
import fnmatch, io, os, re, subprocess, sys, tokenize
os.chdir(sys.argv[1])
files = subprocess.run(["git","ls-files"],capture_output=True,text=True).stdout.split()
py = [f for f in files if f.endswith(".py") and os.path.exists(f)]
HOST = ["host_tools/*","hil_tests/*"]
def match(f, pats): return any(fnmatch.fnmatch(f,p) for p in pats)
# (old, new, include, exclude, in_text)
R = []
def r(old,new,inc=HOST,exc=(),text=False): R.append((old,new,list(inc),list(exc),text))
LINK=["host_tools/tabletools/link/*","host_tools/tabletools/console/watch.py"]
STIM=["hil_tests/stimulus/*","hil_tests/test_stimulus.py"]
r("Refused","FrameRefused",LINK)
r("Refused","LedgerRejection",HOST,LINK+STIM+["host_tools/tabletools/settle/strict_json.py"],True)
r("Refusal","SessionRefusal",["host_tools/tabletools/link/*"])
r("Refusal","RuleViolation",HOST,["host_tools/tabletools/link/*"],True)
r("Unattended","TableUnavailable",text=True)
r("Denied","AuthError",text=True)
MONEY=["host_tools/tabletools/*","host_tools/tests/*","host_tools/bench/*","hil_tests/*"]
SLIPREQ=["host_tools/tabletools/money/*","host_tools/tabletools/pit/*","host_tools/tests/*","host_tools/bench/*","hil_tests/*"]
r("Wish","BetRequest",text=True)
r("Laid","OpenBet",["host_tools/tabletools/money/*","host_tools/tests/*"])
r("Staked","StoredBet")
r("TakenSlip","SlipReceipt")
r("Taken","BetReceipt",HOST,["host_tools/tabletools/rules/*","host_tools/tabletools/settle/*"])
r("Taken","StakeLimits",["host_tools/tabletools/rules/*","host_tools/tabletools/settle/*"])
r("Placed","CompiledBet",["host_tools/tabletools/rules/*","host_tools/tabletools/settle/*","host_tools/tabletools/money/*","host_tools/tabletools/shadow/*","host_tools/bench/*","host_tools/tests/*"])
r("Desk","BetContext",["host_tools/tabletools/*"])
r("Counter","BetQueue",["host_tools/tabletools/pit/*","host_tools/tabletools/api/terminal_routes.py","host_tools/tests/test_pit*"])
r("HostDuty","HostContext")
r("Duty","HostContext",["host_tools/tabletools/pit/*","host_tools/tabletools/cli/*","host_tools/tabletools/api/*","host_tools/tests/*","host_tools/bench/*","hil_tests/*"])
r("Due","IntervalTimer",["host_tools/tabletools/pit/*"])
r("Due","DueEvents",["host_tools/tabletools/money/feeds.py","host_tools/tabletools/cms/*"])
r("Tally","HostStats",["host_tools/tabletools/pit/*"])
r("Place","TableAssignment",["host_tools/tabletools/pit/*","host_tools/tabletools/api/*","host_tools/tests/*","host_tools/bench/*","hil_tests/*","host_tools/tabletools/cli/*"],["hil_tests/dice_training/*"])
r("Place","RecordId",["host_tools/tabletools/evidence/*"])
r("Letter","OutgoingEvent"); r("letter","outgoing_event",["host_tools/tabletools/cms/*","host_tools/tests/*","host_tools/tabletools/pit/*","hil_tests/*","host_tools/bench/*"])
r("Hold","SinkLock",["host_tools/tabletools/*","host_tools/tests/*","hil_tests/night/*"])
r("Feed","SinkWorker",["host_tools/tabletools/*","host_tools/tests/*","hil_tests/*","host_tools/bench/*"])
r("Sent","DeliveryResult",["host_tools/tabletools/*","host_tools/tests/*","hil_tests/*","host_tools/bench/*"])
r("Standing","SinkStatus",HOST,["host_tools/tabletools/link/*"])
r("Standing","KeyedSession",["host_tools/tabletools/link/*"])
r("Seen","DuplicateFilter",["host_tools/tabletools/link/*","host_tools/tests/*"])
r("House","AppState",["host_tools/tabletools/api/*","host_tools/tabletools/cli/*","host_tools/tests/*","host_tools/bench/*"],["host_tools/bench/edges.py"])
r("InHouse","InApp"); 
r("House","TableAccounts",["host_tools/tabletools/money/*"])
r("house_of","table_accounts",["host_tools/tabletools/*","host_tools/tests/*"])
r("Told","OutboxEvent",["host_tools/tabletools/store/*","host_tools/tabletools/money/*","host_tools/tabletools/evidence/*","host_tools/tabletools/pit/*"])
r("Told","RecordedRound",["host_tools/tabletools/settle/*","host_tools/tabletools/cli/settle_recorded.py"])
r("Lying","StakeInPlay",["host_tools/tabletools/api/*"])
r("said_of","ledger_facts"); r("SHOWN","LABELS",["host_tools/*"])
r("take_back","close_stakes",["host_tools/tabletools/money/*","host_tools/tests/*"])
r("give_back","refund",["host_tools/tabletools/money/*","host_tools/tests/*"])
# modules: (old path, new path)
M=[("host_tools/tabletools/told.py","host_tools/tabletools/round_outcome.py"),
("host_tools/tabletools/seals.py","host_tools/tabletools/authenticity.py"),
("host_tools/tabletools/settle/told_round.py","host_tools/tabletools/settle/recorded_round.py"),
("host_tools/tabletools/pit/counter.py","host_tools/tabletools/pit/bet_queue.py"),
("host_tools/tabletools/pit/duty.py","host_tools/tabletools/pit/host_context.py"),
("host_tools/tabletools/pit/places.py","host_tools/tabletools/pit/assignments.py"),
("host_tools/tabletools/cms/standing.py","host_tools/tabletools/cms/sink_status.py"),
("host_tools/tabletools/cms/events.py","host_tools/tabletools/cms/outgoing_event.py"),
("host_tools/tabletools/api/house.py","host_tools/tabletools/api/app_state.py"),
("host_tools/tabletools/api/guard.py","host_tools/tabletools/api/security.py"),
("host_tools/tabletools/api/telling.py","host_tools/tabletools/api/record_text.py"),
("host_tools/tabletools/money/desk.py","host_tools/tabletools/money/bet_context.py"),
("host_tools/tabletools/money/openings.py","host_tools/tabletools/money/bet_windows.py"),
("host_tools/tabletools/money/waiting.py","host_tools/tabletools/money/unsettled_stakes.py"),
("host_tools/tabletools/money/hands.py","host_tools/tabletools/money/hand_rulings.py"),
("host_tools/tabletools/money/directory.py","host_tools/tabletools/money/people_queries.py"),
("host_tools/tabletools/money/listing.py","host_tools/tabletools/money/play_queries.py"),
("host_tools/tabletools/money/feeds.py","host_tools/tabletools/money/outbox_queries.py"),
("host_tools/tabletools/link/seen.py","host_tools/tabletools/link/duplicates.py"),
("host_tools/tabletools/rules/refusal.py","host_tools/tabletools/rules/violation.py"),
("hil_tests/test_big_wheel.py","hil_tests/test_money_wheel.py"),
("hil_tests/test_ball_machine.py","hil_tests/test_draw_machine.py"),
("hil_tests/test_ball_soak.py","hil_tests/test_draw_machine_soak.py"),
("hil_tests/test_tray.py","hil_tests/test_dice_tray.py"),
("hil_tests/test_tray_reading.py","hil_tests/test_dice_tray_reading.py"),
]
T="tabletools."
ORIGIN={("Refused",T+"link"):"FrameRefused",("Refused",T+"store"):"LedgerRejection",("Refused",T+"money"):"LedgerRejection",
("Standing",T+"link"):"KeyedSession",("Standing",T+"cms"):"SinkStatus",("Told",T+"store"):"OutboxEvent",("Told",T+"settle"):"RecordedRound",
("Refusal",T+"link"):"SessionRefusal",("Refusal",T+"rules"):"RuleViolation",("Refusal",T+"settle"):"RuleViolation",
("House",T+"api"):"AppState",("House",T+"money"):"TableAccounts",("Counter",T+"pit"):"BetQueue",("Desk",T+"money"):"BetContext",
("Place",T+"pit"):"TableAssignment",("Place",T+"evidence"):"RecordId",("Tally",T+"pit"):"HostStats",("Due",T+"pit"):"IntervalTimer",("Due",T+"money"):"DueEvents",
("Taken",T+"rules"):"StakeLimits",("Taken",T+"money"):"BetReceipt",("Seen",T+"link"):"DuplicateFilter",("Duty",T+"pit"):"HostContext",("Feed",T+"cms"):"SinkWorker",("Sent",T+"cms"):"DeliveryResult",("Hold",T+"money"):"SinkLock",("Hold",T+"cms"):"SinkLock"}
def dotted(p):
    p=p[:-3]
    if p.startswith("host_tools/"): p=p[len("host_tools/"):]
    return p.replace("/",".")
moved={}
for a,b in M:
    if os.path.exists(a) and not os.path.exists(b):
        subprocess.run(["git","mv",a,b],check=True); moved[a]=b
py=[moved.get(f,f) for f in py]; files=[moved.get(f,f) for f in files]
back={v:k for k,v in moved.items()}
def convert(f):
    src=open(f).read(); orig=back.get(f,f)
    names={}; textnames={}
    for old,new,inc,exc,text in R:
        if match(orig,inc) and not match(orig,exc):
            names[old]=new
            if text: textnames[old]=new
    import ast
    for node in ast.walk(ast.parse(src)):
        if isinstance(node,ast.ImportFrom) and node.module and node.level==0:
            for al in node.names:
                n=al.name
                hits=[new for (o,pref),new in ORIGIN.items() if o==n and (node.module==pref or node.module.startswith(pref+"."))]
                known=any(o==n for (o,_) in ORIGIN)
                if hits: names[n]=hits[0]
                elif known and node.module.split(".")[0] in ("tabletools","hil_tests","prometheus_client","collections","lines"): names.pop(n,None)
    # module imports in this file
    mods={}
    for a,b in M:
        da,db=dotted(a),dotted(b)
        pa,na=da.rsplit(".",1); pb,nb=db.rsplit(".",1)
        # `from pkg import x` possibly in a list, or multi-line
        for mm in re.finditer(r"from %s import (\([^)]*\)|[^\n]*)"%re.escape(pa), src):
            if re.search(r"(?<![\w.])%s\b(?! as)"%na, mm.group(1)): mods[na]=nb
    toks=list(tokenize.generate_tokens(io.StringIO(src).readline))
    lines=src.splitlines(keepends=True)
    edits=[]
    prev=None; prevprev=None
    for i,t in enumerate(toks):
        if t.type==tokenize.NAME:
            if t.string in names and (t.string!="letter" or toks[i+1].string=="(" or in_import(toks,i)): edits.append((t,names[t.string]))
            elif t.string in mods and not (prev and prev.string=="."):
                nxt=toks[i+1].string if i+1<len(toks) else ""
                line=lines[t.start[0]-1]
                # attribute access of the module, or inside the import statement
                imp = re.match(r"\s*from ",line) or in_import(toks,i)
                if nxt=="." or imp: edits.append((t,mods[t.string]))
                elif nxt not in ("=",":") and prev and prev.string in "([," and nxt in ",)]": edits.append((t,mods[t.string]))
        elif t.type==tokenize.STRING and not is_doc(toks,i):
            q=t.string; body=q.strip("\"'")
            if q[:1] in "fF" and "{" in q:
                n3=q
                for mo,mn in mods.items(): n3=re.sub(r"(?<=[{(, ])%s\.(?=\w)"%mo,mn+".",n3) if re.search(r"\{[^}]*\b%s\."%mo,n3) else n3
                for o2,n2 in names.items():
                    if o2[0].isupper(): n3=re.sub(r"(\{[^}]*)\b%s\b"%o2,lambda m:m.group(1)+n2,n3)
                if n3!=q: edits.append((t,n3)); prev=t; continue
            if body in names and body!="letter": edits.append((t,q.replace(body,names[body])))
            elif re.fullmatch(r"\w+\[[\w\[\], |.]+\]",body):
                n2=re.sub(r"\w+",lambda m:names.get(m.group(0),m.group(0)),q)
                if n2!=q: edits.append((t,n2))
        elif t.type==tokenize.COMMENT or (t.type==tokenize.STRING and is_doc(toks,i)):
            s=t.string
            for o,n in textnames.items(): s=re.sub(r"\b%s\b"%o,n,s)
            if s!=t.string: edits.append((t,s))
        if t.type not in (tokenize.NL,tokenize.COMMENT): prev=t
    out=apply(src,edits)
    for a,b in M:
        out=out.replace(dotted(a)+" ",dotted(b)+" ").replace(dotted(a)+"\n",dotted(b)+"\n")
        out=re.sub(r"\b%s\b(?!\.\w+\.)"%re.escape(dotted(a)),dotted(b),out)
        out=out.replace(a,b)
    if out!=src: open(f,"w").write(out); return True
def in_import(toks,i):
    j=i
    while j>=0 and toks[j].type!=tokenize.NEWLINE:
        if toks[j].string=="import": 
            return True
        j-=1
    return False
def bare_module_use(toks,i):
    return False
def is_doc(toks,i):
    j=i-1
    while j>=0 and toks[j].type in (tokenize.NL,tokenize.COMMENT,tokenize.INDENT,tokenize.DEDENT): j-=1
    return j<0 or toks[j].type in (tokenize.NEWLINE,tokenize.ENCODING)
def apply(src,edits):
    lines=src.splitlines(keepends=True)
    starts=[0]
    for l in lines: starts.append(starts[-1]+len(l))
    res=src
    for t,new in sorted(edits,key=lambda e:e[0].start,reverse=True):
        a=starts[t.start[0]-1]+t.start[1]; b=starts[t.end[0]-1]+t.end[1]
        res=res[:a]+new+res[b:]
    return res
n=0
for f in py:
    if match(f,["host_tools/*","hil_tests/*","protocol/tests/*"]): n+=bool(convert(f))
for f in files:
    if f.endswith((".md",".toml",".json",".js",".in",".sh")) and os.path.exists(f) and "DECISIONS" not in f and "CHANGELOG" not in f:
        s=open(f).read(); o=s
        for a,b in M:
            s=s.replace(a,b).replace(a.replace("host_tools/tabletools/",""),b.replace("host_tools/tabletools/","")) if a.count("/")>2 else s.replace(a,b)
            s=re.sub(r"\b%s\b"%re.escape(dotted(a)),dotted(b),s)
        if s!=o: open(f,"w").write(s); print("text",f)
print(n,"files")
